export { collections } from './content-collections.ts';
