import type { Outcome } from '#kit'
import type { Hold } from '../approvals/hold.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { FilesRuntime } from '../files/files.ts'
import type { Leases } from '../leases.ts'
import type { BulkJob, BulkJobOrder, Caller, Clock, Log, Store, Vault } from '../ports/index.ts'
import type { JobLists } from './job-lists.ts'
import type { SimulateFile } from '../lookups/waterfall/simulate-file.ts'
import { openTable } from '../tables/open-table.ts'
import type { Table } from '../tables/table.ts'

/** The run of the step that looks up a row. */
export type RowCall = {
  integration: string
  step: string
  connection?: string
  input: unknown
  runId?: string
  dryRun?: boolean
  priority?: 'bulk'
  signal?: AbortSignal
  maxCredits?: number
  maxAge?: number
  refresh?: boolean
  job?: string
  checkBeforeSending?(): Promise<void>
}

/** What asks before rows of a job are looked up. `fingerprint`: identifies its connection as it is now. */
type JobHolds = {
  hold: Hold
  fingerprint(caller: Caller, order: Pick<BulkJobOrder, 'integration' | 'step' | 'connection'>): Promise<string>
}

/** Adds a span around the work on a job. */
export type JobTracing = (tenant: string, id: string, work: () => Promise<void>) => Promise<void>

export type JobParts = {
  /** Absent: nobody is asked. */
  holds?: JobHolds | undefined
  store: Pick<Store, 'bulkJobs' | 'runs' | 'tokens' | 'grants' | 'cluster'>
  registry: Registry
  files: Pick<FilesRuntime, 'open' | 'get' | 'writer'>
  vault: Pick<Vault, 'seal' | 'open'>
  lists: JobLists
  /** The digest under which an idempotency key is stored. */
  digestKey(tenant: string, key: string): Promise<string>
  leases: Leases
  clock: Clock
  log: Log
  /** How long a job and its result are stored, in ms. */
  keptMs: number
  /** Resolves when the rows of all ended runs are written. */
  flush(): Promise<void>
  /** Records what a run of unknown outcome was charged. False when its outcome is not unknown. */
  resolve(tenant: string, runId: string, credits: number): Promise<boolean>
  run(caller: Caller, call: RowCall): Promise<Outcome>
  /** What looking up rows is expected to give, by earlier lookups. Sends nothing. */
  simulate: SimulateFile
  /** For each input, whether it names somebody who is suppressed. */
  suppressed(tenant: string, inputs: readonly object[]): Promise<boolean[]>
  trace?: JobTracing | undefined
}

export const callerOf = ({ tenant, caller }: BulkJob): Caller => ({ ...caller, tenant })

/** The table in a job's file. @throws Failure `not_found` when the file has expired */
export const tableOf = async ({ files }: Pick<JobParts, 'files'>, job: BulkJob): Promise<Table> => {
  const { file, name, format, delimiter } = job.order
  // Opened for the tenant: the job's creator could open the file, and whoever resumes the job may read it.
  const { read } = await files.open({ tenant: job.tenant }, file)
  return openTable(read, name, { format, delimiter })
}
