import type { Registry } from '../catalogue/registry.ts'
import type { FilesRuntime } from '../files/files.ts'
import type { Caller, Clock, Store, Vault } from '../ports/index.ts'
import type { Steps } from '../steps/run-step.ts'

export type ListDependencies = {
  store: Pick<Store, 'peopleLists'>
  vault: Pick<Vault, 'seal' | 'open'>
  files: Pick<FilesRuntime, 'open' | 'writer'>
  clock: Clock
  /** For each row, whether it names somebody who is suppressed. */
  suppressed(tenant: string, rows: readonly object[]): Promise<boolean[]>
  /** A run that the caller may see, with its output if that is stored. @throws Failure `not_found` */
  runOf(caller: Caller, id: string): Promise<{ createdAt: string; output?: unknown }>
  registry: Pick<Registry, 'step' | 'all'>
  /** Runs a step within every limit that its caller has. */
  run: Steps['run']
  /** The digest under which an idempotency key, or a request, is stored. */
  digest(tenant: string, text: string): Promise<string>
}

export const idPrefix = 'plst_'
export const rowsAtOnce = 200
