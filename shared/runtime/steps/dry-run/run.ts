import type { Outcome } from '#kit'
import type { OpenConnections } from '../../connections/open-connection.ts'
import { runHandler } from '../../session/account-values.ts'
import type { Running, RunRecords } from '../run-records.ts'
import type { RunSessions } from '../run-sessions.ts'
import type { ValidCall } from '../validate-call.ts'
import { createDryContext } from './context.ts'
import { DryRunEnd, resultOf, startRecording } from './dry-run.ts'

type DryRunsDependencies = { openConnections: OpenConnections; sessions: RunSessions; records: RunRecords }

/** Runs a step without sending anything, and without a row in the history. */
export const createDryRuns =
  ({ openConnections, sessions, records }: DryRunsDependencies) =>
  async (running: Running, valid: ValidCall): Promise<Outcome> => {
    const { loadedStep, input } = valid
    try {
      const opened = await openConnections.open(running.caller, loadedStep.loaded, running.call.connection)
      const session = sessions.openDry(running, valid, opened)
      running.session = session
      const recording = startRecording(session)
      let hasEnded = true
      try {
        await runHandler(loadedStep.step, createDryContext(recording), input)
      } catch (thrown) {
        if (!(thrown instanceof DryRunEnd)) throw thrown
        hasEnded = false
      }
      const value = resultOf(recording, running.effect, hasEnded)
      return { ok: true, value, meta: { ...records.meta(running), dryRun: true } }
    } catch (thrown) {
      return records.failed(running, thrown)
    }
  }
