/** A compiled module, as the bundler gives it. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
