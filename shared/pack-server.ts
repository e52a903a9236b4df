/**
 * What only a server, its faces and its commands read. It stands apart from `pack.ts`, so that a process that uses the
 * library does not load it.
 */
export { agentDocument } from './runtime/catalogue/agent-document.ts'
export { createToolSearch, findableStep } from './runtime/catalogue/find-tools.ts'
export type { Findable, ToolSearch } from './runtime/catalogue/find-tools.ts'
export { exportStore, importStore, migrateDatabase } from './store/transfer/index.ts'
export type { Transferred } from './store/transfer/index.ts'
