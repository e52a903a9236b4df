/**
 * Exports that only a server, its faces and its commands need. They are not in `pack.ts`, so that a process that uses
 * the library does not load them.
 */
export { agentDocument } from './runtime/catalogue/agent-document.ts'
export { createToolSearch, findableStep } from './runtime/catalogue/find-tools.ts'
export type { Findable, ToolSearch } from './runtime/catalogue/find-tools.ts'
export { exportStore, importStore, migrateDatabase } from './store/transfer/index.ts'
export type { Transferred } from './store/transfer/index.ts'
export { readIcon } from './icons.ts'
