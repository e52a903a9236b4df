import type { Outcome } from '#kit'
import type { OpenConnection, OpenConnections } from '../../connections/open-connection.ts'
import { runHandler } from '../../session/account-values.ts'
import type { Store } from '../../ports/index.ts'
import { fillContainer } from '../fill-container.ts'
import { noteListedEffect } from '../listed-effect.ts'
import type { Running, RunRecords } from '../run-records.ts'
import type { RunSessions } from '../run-sessions.ts'
import type { ValidCall } from '../validate-call.ts'
import { createDryContext } from './context.ts'
import { DryRunEnd, resultOf, startRecording } from './dry-run.ts'
import type { Recording } from './dry-run.ts'

type DryRunsDependencies = {
  openConnections: OpenConnections
  store: Pick<Store, 'starts' | 'events'>
  sessions: RunSessions
  records: RunRecords
}

/**
 * Runs the handler and records what it would send. `sendsReads`: lets reads through that cost nothing.
 * @throws Failure that would end the run
 */
export const record = async (
  sessions: Pick<RunSessions, 'openDry'>,
  running: Running,
  valid: ValidCall,
  opened: OpenConnection,
  sendsReads = false,
): Promise<{ recording: Recording; hasEnded: boolean }> => {
  const session = sessions.openDry(running, valid, opened)
  running.session = session
  const recording = startRecording(session, sendsReads)
  try {
    await runHandler(valid.loadedStep.step, createDryContext(recording), valid.input)
  } catch (thrown) {
    if (!(thrown instanceof DryRunEnd)) throw thrown
    return { recording, hasEnded: false }
  }
  return { recording, hasEnded: true }
}

/** Runs a step without sending anything, and without a row in the history. */
export const createDryRuns =
  ({ openConnections, store, sessions, records }: DryRunsDependencies) =>
  async (running: Running, valid: ValidCall): Promise<Outcome> => {
    try {
      const opened = await openConnections.open(running.caller, valid.loadedStep.loaded, running.call.connection)
      if (valid.lacksContainer) await fillContainer(store, running, valid, opened)
      if (valid.loadedStep.step.id === 'api-call') await noteListedEffect(running, valid, opened)
      const { recording, hasEnded } = await record(sessions, running, valid, opened)
      const value = resultOf(recording, running.effect, hasEnded)
      return { ok: true, value, meta: { ...records.meta(running), dryRun: true } }
    } catch (thrown) {
      return records.failed(running, thrown)
    }
  }
