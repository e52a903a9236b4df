import { failField } from '#kit'
import type { OpenConnection } from '../connections/open-connection.ts'
import { noContainer } from '../connections/default-container.ts'
import type { Store } from '../ports/index.ts'
import { startOfRun } from './run-records.ts'
import type { Running } from './run-records.ts'
import type { ValidCall } from './validate-call.ts'

/** The container of the event that a start carries; undefined for a start of another connection, or none. */
const containerOfStart = async (
  store: Pick<Store, 'starts' | 'events'>,
  tenant: string,
  connection: string,
  startId: string | null,
): Promise<string | undefined> => {
  const start = startId === null ? undefined : await store.starts.get(tenant, startId)
  // Ids of one account mean nothing, or something else, in another one.
  if (start?.connection !== connection) return undefined
  return (await store.events.get(tenant, connection, start.event))?.container ?? undefined
}

/**
 * Fills in the container that a call left out: that of the event that started the agent, or else the default one of the
 * connection.
 * @throws Failure `invalid_input` naming the field where there is neither
 */
export const fillContainer = async (
  store: Pick<Store, 'starts' | 'events'>,
  running: Pick<Running, 'caller' | 'call'>,
  { loadedStep, input }: ValidCall,
  { connection }: OpenConnection,
): Promise<void> => {
  const field = loadedStep.step.container!
  if (input[field] !== undefined) return
  const { tenant, id, defaultContainer } = connection
  const container = (await containerOfStart(store, tenant, id, startOfRun(running))) ?? defaultContainer
  if (container == null) throw failField(`/${field}`, noContainer(field, loadedStep.loaded, connection))
  input[field] = container
}
