/** Schemas that the HTTP face alone reads: building them takes several milliseconds, which a process without a server does not spend. */
export { manifestShape } from './runtime/catalogue/manifest-schema.ts'
