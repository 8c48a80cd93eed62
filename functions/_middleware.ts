export { onRequest } from '../.akg/functions.js';
