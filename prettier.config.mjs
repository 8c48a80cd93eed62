/** Prettier formats `.astro` files alone; Biome formats everything else. */
export default {
  printWidth: 140,
  singleQuote: true,
  plugins: ['prettier-plugin-astro'],
};
