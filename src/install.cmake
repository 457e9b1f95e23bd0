# An install tree that find_package(acuity) understands (tests/install proves it).
include(CMakePackageConfigHelpers)
install(TARGETS acuity_core_shared acuity_campaign_shared EXPORT acuity-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${kernel_libraries} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/acuity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT acuity-targets NAMESPACE acuity:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/acuity-config.cmake.in
                              ${PROJECT_BINARY_DIR}/acuity-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/acuity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/acuity-config.cmake ${PROJECT_BINARY_DIR}/acuity-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity)
