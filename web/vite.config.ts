import { defineConfig } from "vite";

/** The page for people who label, the page for people who watch, and what both use. */
function chunkName(chunk: { name: string }): string {
  return { LabelPage: "label.js", WatchPage: "watch.js" }[chunk.name] ?? "shared.js";
}

// Fixed names, so that the list of files that CMake embeds stays the same from build to build; no inlined files and no
// preloading script, which the content security policy would refuse.
export default defineConfig({
  base: "/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  server: { proxy: { "/v1": "http://127.0.0.1:8421" } },
  build: {
    target: "es2020",
    outDir: "dist",
    assetsDir: "",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    sourcemap: false,
    rollupOptions: { output: { entryFileNames: "app.js", chunkFileNames: chunkName, assetFileNames: "app.[ext]" } },
  },
});
