import { failures, once, z } from '#kit'
import type { FailureCode, Integration, Json, ShownFailure } from '#kit'

/**
 * Anything a request names by an id, or by a name in place of one: an integration, a step, a row, a tenant. No stored
 * id is longer.
 */
export const id = z.string().max(256)

export const tenantId = id.default('default')

export const idempotencyKey = z.string().max(255)

export const dateTime = z.iso.datetime({ offset: true }).max(64)

/** Values by field name. */
export const valuesByName = once(() => z.record(id, z.unknown()))

/** A label to filter by, as `name:value`. */
const pair = z.string().max(400)

export const labelFilter = once(() => z.union([pair, z.array(pair).max(20)]))

export const time = z.iso.datetime().describe('RFC 3339')

export const text = z.string()

export const labels = once(() =>
  z.record(z.string().min(1).max(64), z.string().max(256)).describe("The platform's own labels: text values by name"),
)

export const failureCode = z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]])

/** What a failure concerns. */
export const about = z
  .enum(['input', 'record', 'connection', 'run', 'provider', 'us'])
  .describe('What the failure says something of; run: this run, while another may go well')

/** Any JSON value. Nothing else is shown or stored, so it is not validated. */
export const json = z.unknown() as z.ZodType<Json>

export const jsonObject = once(() => z.record(z.string(), json))

/** A failure as it is stored with what failed. */
export const storedFailure = once(
  () =>
    z.looseObject({
      code: failureCode,
      message: text,
      retryable: z.boolean(),
      actor: text,
      about,
    }) as z.ZodType as z.ZodType<ShownFailure>,
)

/** The names that the installed integrations have for our fields. */
export type Aliases = { subject: readonly string[]; container: readonly string[]; scopes: readonly string[] }

export const aliasesOf = (integrations: readonly Pick<Integration, 'aliases'>[]): Aliases => {
  const namesFor = (part: keyof Aliases) => [...new Set(integrations.flatMap(({ aliases }) => aliases?.[part] ?? []))]
  return { subject: namesFor('subject'), container: namesFor('container'), scopes: namesFor('scopes') }
}

/** Makes a schema; most schemas ignore the aliases. */
export type Make<T extends z.ZodType = z.ZodType> = (aliases: Aliases) => T

/** Caches the schema for each set of aliases, so that it is the same object wherever it is used. */
export const perAliases = <T>(make: (aliases: Aliases) => T): ((aliases: Aliases) => T) => {
  const schemas = new WeakMap<Aliases, T>()
  return (aliases) => {
    const cachedSchema = schemas.get(aliases)
    if (cachedSchema !== undefined) return cachedSchema
    const schema = make(aliases)
    schemas.set(aliases, schema)
    return schema
  }
}

/** One of our fields under the names that integrations have for it. Deprecated: the field has one name everywhere. */
export const namesOf = <T extends z.ZodType>(
  names: readonly string[],
  schema: T,
  field: string,
): { [name: string]: T } =>
  Object.fromEntries(
    names.map((name) => [name, schema.meta({ description: `Another name of ${field}: use that`, deprecated: true })]),
  )

export const displayName = z.string().min(1).max(128)

export const externalId = z.string().min(1).max(256)

/** An end user of the platform, by the platform's own id. */
export const person = z.string().min(1).max(256)

export const ownPerson = person.nullable().describe('The end user it is of or for; null: nobody')

export const actsFor = person
  .optional()
  .describe(
    "The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own",
  )

export const personFilter = person.optional().describe('Only those of this end user of the platform')

export const rowId = id.min(1)

/** Filters by the platform's own id and labels. */
export const ownedBy = (whom: string) => ({
  externalId: id.optional().describe(`The platform's own id of ${whom}`),
  label: labelFilter().optional().describe(`A label of ${whom}, as name:value; repeat it to narrow further`),
})

export const stepPath = once(() => z.object({ integration: id, step: id }))

export const byId = once(() => z.object({ id }))

export const integrationPath = once(() => z.object({ integration: id }))

export const triggerPath = once(() => z.object({ integration: id, trigger: id }))

export const ofTenant = once(() => z.strictObject({ tenant: tenantId }))
