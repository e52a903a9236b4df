import { failField, isAbsent, isFailure } from '#kit'
import type { Json, Trigger } from '#kit'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import type { Connection } from '../ports/index.ts'
import type { Verifier } from './verify.ts'

const field = 'defaultContainer'

const kindOf = ({ integration }: Pick<LoadedIntegration, 'integration'>) => integration.scopes?.kind ?? 'container'

/** Why a call without a container cannot run, and what to do. */
export const noContainer = (
  name: string,
  loaded: Pick<LoadedIntegration, 'integration'>,
  connection: Pick<Connection, 'name' | 'id'>,
): string =>
  `"${name}" is required, because the connection "${connection.name}" has no default ${kindOf(loaded)}. Give "${name}", or set "${field}" of the connection ${connection.id}.`

/** The schema of the field that names a container, as the steps of an integration read it. */
const schemaIn = ({ steps }: LoadedIntegration) => {
  for (const { step } of steps.values()) if (step.container !== undefined) return step.input.shape[step.container]
  return undefined
}

/**
 * The id of the container that a connection is to have as its default. It is looked up at the provider, by a free
 * request, so that a mistake shows now and not in the runs of agents.
 * @throws Failure `invalid_input` naming what is wrong
 */
export const readDefaultContainer = async (
  verifier: Pick<Verifier, 'send'>,
  loaded: LoadedIntegration,
  row: Connection,
  secrets: Record<string, string>,
  value: string,
): Promise<string> => {
  const { id, scopes } = loaded.integration
  const schema = schemaIn(loaded)
  if (!scopes || !schema) throw failField(field, `No step of ${id} takes a default, so its connections have none.`)
  const read = schema.safeParse(value)
  if (!read.success)
    throw failField(field, read.error.issues[0]?.message ?? `"${value}" is not the id or address of a ${scopes.kind}.`)
  const ids = await verifier
    .send(row, secrets, scopes.byId(String(read.data)), 'read')
    .then(scopes.idsIn, (thrown: unknown) => {
      if (isFailure(thrown) && isAbsent(thrown)) return []
      throw thrown
    })
  const [container] = ids
  if (container === undefined)
    throw failField(field, `There is no ${scopes.kind} "${value}" that this account can see. Choose another one.`)
  const allowed = row.policy?.scopes
  if (allowed && !ids.some((name) => allowed.includes(name)))
    throw failField(
      field,
      `The policy of this connection does not allow the ${scopes.kind} "${value}". Choose an allowed one, or change "policy.scopes" first.`,
    )
  return container
}

/**
 * The config of a subscription, with the default container of its connection where it names none but has to.
 * @throws Failure `invalid_input` naming the field where there is no default
 */
export const withDefaultContainer = (
  { within }: Pick<Trigger, 'within'>,
  loaded: LoadedIntegration,
  connection: Connection,
  config: Record<string, Json>,
): Record<string, Json> => {
  if (!within?.orDefault || config[within.field] !== undefined) return config
  const { defaultContainer } = connection
  if (defaultContainer == null) throw failField(`/${within.field}`, noContainer(within.field, loaded, connection))
  return { ...config, [within.field]: [defaultContainer] }
}
