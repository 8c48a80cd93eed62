/**
 * The two classes of the WebAssembly interface that this folder uses, so that it compiles without the DOM or Node types.
 *
 * @see {@link https://webassembly.github.io/spec/js-api/ WebAssembly JavaScript Interface}
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }

  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
