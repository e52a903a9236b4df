import { isFailure } from '#kit'
import type { Outcome } from '#kit'
import type { CallPolicy } from '../../wire/types.ts'
import type { EndpointContext, LocalStep } from '../catalogue/find-endpoints-step.ts'
import { operationsOf } from '../catalogue/operations.ts'
import { parseOutput } from '../catalogue/parse.ts'
import { shownPrice } from '../catalogue/path-price.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'
import type { OpenConnections } from '../connections/open-connection.ts'
import type { Clock } from '../ports/index.ts'
import type { Running, RunRecords } from './run-records.ts'
import type { ValidCall } from './validate-call.ts'

type AnswerHereDependencies = {
  registry: Registry
  openConnections: OpenConnections
  records: RunRecords
  clock: Clock
}

const knownOf = async (loaded: LoadedIntegration, policy: CallPolicy): Promise<EndpointContext> => {
  const operations = await operationsOf(loaded)
  return {
    integration: loaded.integration,
    operations,
    policy,
    priceOf: (call) => shownPrice(loaded, operations, call),
  }
}

/**
 * Runs a step that is answered from data in this process. It sends nothing, so it needs neither a connection nor an
 * idempotency key.
 */
export const createAnswerHere = ({ registry, openConnections, records, clock }: AnswerHereDependencies) => {
  /**
   * The operations and policy to answer from. A connection may use a profile of its own and may be limited; without
   * one, or when none can be opened, those of the integration apply.
   */
  const knownBy = async (
    { caller, call }: Running,
    { loadedStep: { loaded } }: ValidCall,
  ): Promise<EndpointContext> => {
    try {
      const { connection, apiPolicy } = await openConnections.open(caller, loaded, call.connection)
      return await knownOf(registry.forConnection(connection), apiPolicy)
    } catch (thrown) {
      if (!isFailure(thrown) || call.connection !== undefined) throw thrown
      return knownOf(loaded, loaded.apiPolicy)
    }
  }

  return async (running: Running, valid: ValidCall): Promise<Outcome> => {
    const { loadedStep, input } = valid
    try {
      const context = await knownBy(running, valid)
      if (running.call.dryRun)
        return { ok: true, value: { requests: [], complete: true }, meta: { ...records.meta(running), dryRun: true } }
      const value = parseOutput(loadedStep.step, await (loadedStep.step as LocalStep).answer(context, input))
      const endedAt = clock.monotonic()
      records.succeeded(running, endedAt, value)
      return { ok: true, value, meta: records.meta(running, endedAt) }
    } catch (thrown) {
      return records.failed(running, thrown)
    }
  }
}
