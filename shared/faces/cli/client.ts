import type { Outcome } from '#kit'
import type { IntegrationSummary, Pack } from '../../pack.ts'
import type { Manifest, StepManifest } from '../../runtime/catalogue/manifest.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { embeddedOperator } from './operator.ts'
import type { Operator } from './operator.ts'
import { embeddedRecords } from './records-client.ts'
import type { RecordVerbs } from './records-client.ts'
import type { Terminal } from './terminal.ts'
import { embeddedTriggers } from './trigger-client.ts'
import type { TriggerVerbs } from './trigger-client.ts'

/** A pack opened in this process, with the sandbox if it was wanted. */
export type House = { pack: Pack; caller: Caller; directory: string; close(): Promise<void> }

export type FoundStep = StepManifest & { integration: string }
export type RunCall = {
  integration: string
  step: string
  connection: string | undefined
  input: unknown
  dryRun: boolean
  force: boolean
  startId: string | undefined
  idempotencyKey: string | undefined
  signal: AbortSignal
  /** Told how far a bulk run is, where that is known here. */
  onProgress?: ((done: number, total?: number) => void) | undefined
}

/** The verbs of the command line, whether over a running server or over a pack in this process. All throw Failure. */
export type Client = {
  /** Where the answers come from, for messages. */
  place: string
  integrations(): Promise<IntegrationSummary[]>
  manifest(id: string): Promise<Manifest>
  steps(asked: { query: string | undefined; integration: string | undefined }): Promise<FoundStep[]>
  run(call: RunCall): Promise<Outcome>
  triggers: TriggerVerbs
  records: RecordVerbs
  operator: Operator
  close(): Promise<void>
}

/** The verbs over a pack in this process. */
export const embeddedClient = ({ pack, caller, directory, close }: House, terminal: Pick<Terminal, 'self'>): Client => ({
  place: `this process, data in ${directory}`,
  integrations: async () => pack.integrations.list(),
  manifest: (id) => pack.integrations.manifest(id),
  steps: (asked) => pack.steps.find(asked),
  run: (call) => pack.steps.run(caller, call),
  triggers: embeddedTriggers(pack, caller, terminal),
  records: embeddedRecords(pack, caller),
  operator: embeddedOperator(pack, caller, terminal),
  close,
})
