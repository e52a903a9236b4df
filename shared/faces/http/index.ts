export { createHttp } from './app.ts'
export type { HttpOptions } from './app.ts'
export { createLog } from './log.ts'
export type { HttpApp } from './parts.ts'
