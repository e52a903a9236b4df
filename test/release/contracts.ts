type Json = any
type Manifest = { id: string; steps: Json[]; triggers: Json[]; connections: Json[]; toolSets: Json[] }

/**
 * What users of one integration rely on: the parts of its manifest that a caller, a reader or a subscription would
 * miss.
 */
export type Contract = {
  steps: { [id: string]: Json }
  triggers: { [id: string]: Json }
  connections: { [id: string]: Json }
  toolSets: string[]
}

const annotations = new Set(['title', 'description', 'x-key-sets', 'examples', '$schema', 'default'])

/** The schema without its texts. Names of fields are kept, whatever they are called. */
const bare = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(bare)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !annotations.has(word))
      .map(([word, value]) =>
        word === 'properties' || word === '$defs'
          ? [
              word,
              Object.fromEntries(Object.entries(value as object).map(([name, property]) => [name, bare(property)])),
            ]
          : [word, bare(value)],
      ),
  )
}

export const contractOf = ({ steps, triggers, connections, toolSets = [] }: Manifest): Contract => ({
  steps: Object.fromEntries(
    steps.map(({ id, version, tool, effect, oauthScopes = null, input, output }) => [
      id,
      { version, tool, effect, oauthScopes, input: bare(input), output: bare(output) },
    ]),
  ),
  triggers: Object.fromEntries(
    triggers.map(({ id, version, delivery, oauthScopes = null, config, options, data }) => [
      id,
      { version, delivery, oauthScopes, config: bare(config), options: bare(options), data: bare(data) },
    ]),
  ),
  connections: Object.fromEntries(connections.map(({ id, kind = null, secrets = null }) => [id, { kind, secrets }])),
  toolSets: (toolSets as (string | { id?: string; name?: string })[]).map((toolSet) =>
    typeof toolSet === 'string' ? toolSet : (toolSet.id ?? toolSet.name ?? ''),
  ),
})
