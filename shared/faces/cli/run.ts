import { noSuchStep } from './step-arguments.ts'
import { failField, isAbsent } from '#kit'
import type { Outcome } from '#kit'
import type { Client } from './client.ts'
import { readInput } from './input.ts'
import { withProgress } from './progress.ts'
import { plain } from './table.ts'
import { printFailure, typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type RunOptions = {
  input?: string
  field: string[]
  connection?: string
  dryRun?: boolean
  startId?: string
  idempotencyKey?: string
  force?: boolean
  maxCredits?: number
  maxAge?: number
  refresh?: boolean
  merge?: boolean
  json?: boolean
}
type Asked = RunOptions & { integration: string; step: string; argument: string | undefined }

/** What a run says beside its output. */
export const sayMeta = (terminal: Terminal, { meta }: Outcome) => {
  const credits = meta.credits
    ? `, ${meta.credits.charged} ${meta.credits.charged === 1 ? 'credit' : 'credits'}${meta.credits.estimated ? ' (estimated)' : ''}`
    : ''
  const connection = meta.connection ? `, connection "${plain(meta.connection.name)}"` : ''
  terminal.err(`run ${meta.runId}: ${Math.round(meta.durationMs)} ms, ${meta.attempts} request${meta.attempts === 1 ? '' : 's'}${connection}${credits}\n`)
  for (const warning of meta.warnings ?? []) terminal.err(`warning: ${plain(warning)}\n`)
  if (meta.unlisted) terminal.err('note: this endpoint is not a listed one, so its parameters were not checked\n')
}

/** `toolyard run`: prints the output as JSON on standard output, everything else on standard error. */
export const run = async (client: Client, terminal: Terminal, asked: Asked): Promise<number> => {
  try {
    const manifest = await client.manifest(asked.integration)
    const step = manifest.steps.find(({ id }) => id === asked.step)
    if (!step) throw noSuchStep(terminal, manifest, asked.step)
    if (asked.argument !== undefined && asked.input !== undefined) throw failField('input', 'The input is given twice: as argument and as --input.')
    const input = await readInput({ whole: asked.input ?? asked.argument, fields: asked.field }, step.form, terminal.readStdin)
    const dryRun = asked.dryRun ?? false
    const { integration, connection, startId, idempotencyKey, force = false, maxCredits, maxAge, refresh, merge } = asked
    const call = {
      integration,
      step: asked.step,
      connection,
      input,
      dryRun,
      force,
      maxCredits,
      maxAge,
      refresh,
      merge,
      startId,
      idempotencyKey,
      signal: terminal.signal,
    }
    const outcome = await withProgress(terminal, (onProgress) => client.run({ ...call, onProgress }))
    if (!outcome.ok) {
      const { failure, meta } = outcome
      const exit = printFailure(terminal, { ...failure, ...(meta.runId === '' ? {} : { runId: meta.runId }) }, asked.json ?? false)
      const field = isAbsent(failure) ? failure.errors?.map(({ pointer }) => pointer.slice(1)).find((name) => step.fields[name]?.options) : undefined
      if (field !== undefined && !asked.json) terminal.err(`  Choices: ${typed(terminal, `options ${integration} ${asked.step} ${field}`)}\n`)
      return exit
    }
    if (asked.json) terminal.out(`${JSON.stringify({ output: outcome.value, meta: outcome.meta, ...(dryRun ? (outcome.value as object) : {}) })}\n`)
    else {
      terminal.out(`${JSON.stringify(outcome.value, null, 2)}\n`)
      if (!dryRun) sayMeta(terminal, outcome)
    }
    return 0
  } finally {
    await client.close()
  }
}
