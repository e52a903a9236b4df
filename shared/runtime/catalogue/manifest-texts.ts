import type { JsonSchema } from '#kit'
import type {
  ConnectionField,
  ConnectionManifest,
  FieldManifest,
  Layout,
  LayoutField,
  Manifest,
  StepManifest,
  TriggerManifest,
} from '../../api/manifest.ts'

/** Receives each text that people read, with its key; returns its replacement. */
export type Say = (key: string, text: string) => string

const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

const mapValues = <T>(record: Record<string, T>, change: (name: string, value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(name, value)]))

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOrNull = (key: string, text: string | null, say: Say) => (text === null ? null : say(key, text))

const schemaIn = (schema: JsonSchema, key: string, say: Say): JsonSchema => {
  const { title, description, properties, items, anyOf, additionalProperties } = schema
  const said = { ...schema }
  if (typeof title === 'string') said.title = say(`${key}.title`, title)
  if (typeof description === 'string') said.description = say(`${key}.description`, description)
  if (isSchema(properties)) {
    said.properties = mapValues(properties, (name, part) =>
      isSchema(part) ? schemaIn(part, `${key}.fields.${name}`, say) : part,
    )
  }
  if (Array.isArray(anyOf))
    said.anyOf = anyOf.map((part: JsonSchema, index) => schemaIn(part, `${key}.any.${index}`, say))
  if (isSchema(items)) said.items = schemaIn(items, `${key}.items`, say)
  if (isSchema(additionalProperties)) said.additionalProperties = schemaIn(additionalProperties, `${key}.values`, say)
  return said
}

type Extras = Pick<FieldManifest, 'labels' | 'placeholder'>

const extrasIn = <T extends Extras>(extras: T, key: string, say: Say): T => ({
  ...extras,
  ...(extras.placeholder === undefined ? {} : { placeholder: say(`${key}.placeholder`, extras.placeholder) }),
  ...(extras.labels === undefined
    ? {}
    : { labels: mapValues(extras.labels, (value, label) => say(`${key}.labels.${value}`, label)) }),
})

/** Key of a table's row: the items of the schema hold its texts. */
const rowKey = (key: string) => `${key}.items`

const layoutFieldIn = (field: LayoutField, key: string, say: Say): LayoutField => ({
  ...extrasIn(field, key, say),
  title: say(`${key}.title`, field.title),
  // Empty when the schema has no description.
  description: field.description === '' ? '' : say(`${key}.description`, field.description),
  ...(field.row === undefined ? {} : { row: layoutIn(field.row, rowKey(key), say) }),
})

const layoutIn = ({ fields: layoutFields, oneOf }: Layout, key: string, say: Say): Layout => {
  const fields = layoutFields.map((field) => layoutFieldIn(field, `${key}.fields.${field.name}`, say))
  const titleOf = (name: string) => fields.find((field) => field.name === name)?.title ?? name
  return {
    fields,
    oneOf: oneOf && {
      ...oneOf,
      sets: oneOf.sets.map((set) => ({ ...set, title: set.fields.map(titleOf).join(' + ') })),
    },
  }
}

const fieldsIn = (fields: Record<string, FieldManifest>, key: string, say: Say): Record<string, FieldManifest> =>
  mapValues(fields, (name, field) => {
    const at = `${key}.fields.${name}`
    const { row } = field
    return {
      ...extrasIn(field, at, say),
      ...(row === undefined
        ? {}
        : { row: mapValues(row, (part, rowField) => extrasIn(rowField, `${rowKey(at)}.fields.${part}`, say)) }),
    }
  })

/** Search words are translated as one comma-separated text. */
const keywordsIn = (keywords: string[], key: string, say: Say) => {
  if (keywords.length === 0) return keywords
  const text = keywords.join(', ')
  const said = say(`${key}.keywords`, text)
  return said === text ? keywords : said.split(',').map((word) => word.trim())
}

const examplesIn = <T extends { title: string }>(examples: T[], key: string, say: Say): T[] =>
  examples.map((example) => ({ ...example, title: say(`${key}.examples.${slug(example.title)}`, example.title) }))

const connectionFieldIn = (field: ConnectionField, key: string, say: Say): ConnectionField => ({
  ...field,
  title: say(`${key}.connection.title`, field.title),
  description: say(`${key}.connection.description`, field.description),
})

/** Where the texts of a connection type are; those of its secrets are at `.fields.<name>` of it. */
export const connectionKey = (integration: string, type: string) => `${integration}.connections.${type}`

const connectionIn = (type: ConnectionManifest, root: string, say: Say): ConnectionManifest => {
  const key = connectionKey(root, type.id)
  return {
    ...type,
    title: say(`${key}.title`, type.title),
    purpose: say(`${key}.purpose`, type.purpose),
    help: textOrNull(`${key}.help`, type.help, say),
    app: type.app && { ...type.app, help: say(`${key}.app.help`, type.app.help) },
    secrets: schemaIn(type.secrets, key, say),
    layout: layoutIn(type.layout, key, say),
  }
}

const stepIn = (step: StepManifest, root: string, say: Say): StepManifest => {
  const key = `${root}.steps.${step.id}`
  return {
    ...step,
    title: say(`${key}.title`, step.title),
    group: say(`${root}.groups.${slug(step.group)}`, step.group),
    purpose: say(`${key}.purpose`, step.purpose),
    keywords: keywordsIn(step.keywords, key, say),
    connection: step.connection && connectionFieldIn(step.connection, root, say),
    price: textOrNull(`${key}.price`, step.price, say),
    notReady: textOrNull(`${key}.notReady`, step.notReady, say),
    // The form comes first: where `input` has another text under the same key, that text is for models and stays as it
    // is.
    form: schemaIn(step.form, key, say),
    layout: layoutIn(step.layout, key, say),
    input: schemaIn(step.input, key, say),
    fields: fieldsIn(step.fields, key, say),
    output: schemaIn(step.output, `${key}.output`, say),
    examples: examplesIn(step.examples, key, say),
  }
}

const reasonsIn = ({ whyWebhookOnly }: TriggerManifest, key: string, say: Say) =>
  whyWebhookOnly && {
    whyWebhookOnly: Object.fromEntries(
      Object.entries(whyWebhookOnly).map(([type, why]) => [type, say(`${key}.whyWebhookOnly.${type}`, why)]),
    ),
  }

const triggerIn = (trigger: TriggerManifest, root: string, say: Say): TriggerManifest => {
  const key = `${root}.triggers.${trigger.id}`
  // Subscription options are the same for the triggers of all integrations, but polled triggers word some differently.
  const subscription = trigger.instant ? 'subscription' : 'subscription.polled'
  return {
    ...trigger,
    title: say(`${key}.title`, trigger.title),
    purpose: say(`${key}.purpose`, trigger.purpose),
    keywords: keywordsIn(trigger.keywords, key, say),
    caveat: textOrNull(`${key}.caveat`, trigger.caveat, say),
    notReady: textOrNull(`${key}.notReady`, trigger.notReady, say),
    ...reasonsIn(trigger, key, say),
    connection: connectionFieldIn(trigger.connection, root, say),
    // As for steps, the form comes first.
    layout: layoutIn(trigger.layout, key, say),
    config: schemaIn(trigger.config, key, say),
    fields: fieldsIn(trigger.fields, key, say),
    optionsLayout: layoutIn(trigger.optionsLayout, subscription, say),
    options: schemaIn(trigger.options, subscription, say),
    data: schemaIn(trigger.data, `${key}.data`, say),
    examples: examplesIn(trigger.examples, key, say),
  }
}

const apiCallIn = (
  { deny, operations, ...otherFields }: Manifest['apiCall'],
  root: string,
  say: Say,
): Manifest['apiCall'] => ({
  ...otherFields,
  deny: deny.map((rule) => ({
    ...rule,
    reason: say(
      `${root}.apiCall.deny.${[...(rule.methods ?? []), rule.path, ...(rule.query ?? [])].join(' ')}`,
      rule.reason,
    ),
  })),
  operations: operations.map((operation) => {
    const key = `${root}.apiCall.operations.${operation.method} ${operation.path}`
    return {
      ...operation,
      title: say(`${key}.title`, operation.title),
      ...(operation.price === undefined ? {} : { price: say(`${key}.price`, operation.price) }),
    }
  }),
})

/** Replaces every text in the manifest that people read by what `say` returns for it. */
export const mapTexts = (manifest: Manifest, say: Say): Manifest => {
  const { id } = manifest
  return {
    ...manifest,
    title: say(`${id}.title`, manifest.title),
    summary: say(`${id}.summary`, manifest.summary),
    keywords: keywordsIn(manifest.keywords, id, say),
    groups: manifest.groups.map((group) => say(`${id}.groups.${slug(group)}`, group)),
    connections: manifest.connections.map((type) => connectionIn(type, id, say)),
    steps: manifest.steps.map((step) => stepIn(step, id, say)),
    triggers: manifest.triggers.map((trigger) => triggerIn(trigger, id, say)),
    toolSets: manifest.toolSets.map((set) => ({
      ...set,
      title: say(`${id}.toolSets.${set.id}.title`, set.title),
      purpose: say(`${id}.toolSets.${set.id}.purpose`, set.purpose),
    })),
    apiCall: apiCallIn(manifest.apiCall, id, say),
    wire: {
      ...manifest.wire,
      assumed: mapValues(manifest.wire.assumed, (what, why) => say(`${id}.wire.assumed.${what}`, why)),
    },
  }
}
