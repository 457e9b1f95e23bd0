# An install tree that find_package(acuity) and pkg-config understand (tests/install proves it), in components, one per package:
# runtime (the libraries), dev (headers and what finds them), program, python.
include(CMakePackageConfigHelpers)
install(TARGETS acuity_core_shared acuity_campaign_shared EXPORT acuity-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
# They are opened at run time, by their path: no libraries to link with.
install(TARGETS ${kernel_libraries} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/acuity COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/acuity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT acuity-targets NAMESPACE acuity:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/acuity-config.cmake.in
                              ${PROJECT_BINARY_DIR}/acuity-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/acuity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/acuity-config.cmake ${PROJECT_BINARY_DIR}/acuity-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/acuity COMPONENT dev)
file(RELATIVE_PATH acuity_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/acuity.pc.in ${PROJECT_BINARY_DIR}/acuity.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/acuity.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/web/NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
