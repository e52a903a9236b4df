import type { Field, Schema } from '../manifests.ts'
import { description, repeatsTitle, titleCase, titleOfWord, singular, whether } from './words.ts'

/** A parameter of an n8n node, in the form of n8n's `INodeProperties`. */
export type Property = { displayName: string; name: string; type: string; default: unknown } & Record<string, unknown>
/** `account`: set when the field holds values of the account's own fields; names the fields that these depend on. */
export type FormField = Field & { account?: string[] }
export type DisplayRule = { displayOptions?: { show?: Record<string, unknown[]>; hide?: Record<string, unknown[]> } }

/** How the node reads a field back from its parameters; see `FieldSpec` of runtime/read-input.ts. */
export type FieldSpec = {
  name: string
  /** As the form shows it. */
  title: string
  control: Field['control'] | 'account'
  more?: true
  factor?: number
  empty?: true
  rows?: FieldSpec[]
}

export const dynamicHint =
  'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
export const dynamicHints =
  'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'

/** Durations are entered in a unit that is natural for people. */
const shownUnits: Record<string, { title: string; factor: number }> = {
  ms: { title: 'Seconds', factor: 1000 },
  seconds: { title: 'Seconds', factor: 1 },
  minutes: { title: 'Minutes', factor: 1 },
  hours: { title: 'Hours', factor: 1 },
  days: { title: 'Days', factor: 1 },
}

const optionsOf = ({ choices = [], labels = {} }: Field) =>
  choices
    .map((value) => ({ name: labels[value] === undefined ? titleOfWord(value) : titleCase(labels[value]), value }))
    .toSorted((choice, other) => choice.name.localeCompare(other.name, 'en'))

/** Names of the node's methods that load a field's choices. */
export const searchMethod = (name: string) => `search_${name}`
export const loadMethod = (name: string) => `load_${name}`
export const mapMethod = (name: string) => `map_${name}`

const locator = (field: Field): Partial<Property> => ({
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      typeOptions: { searchListMethod: searchMethod(field.name), searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
    },
    ...(field.accepts === 'id-or-url'
      ? [{ displayName: 'By Link', name: 'url', type: 'string', placeholder: 'e.g. https://…' }]
      : []),
  ],
})

const mapper = ({ name, title }: Field): Partial<Property> => ({
  type: 'resourceMapper',
  noDataExpression: true,
  default: { mappingMode: 'defineBelow', value: null },
  typeOptions: {
    resourceMapper: {
      resourceMapperMethod: mapMethod(name),
      mode: 'add',
      fieldWords: { singular: singular(title).toLowerCase(), plural: title.toLowerCase() },
      addAllFields: false,
      supportAutoMap: false,
      noFieldsError: `There are no ${title.toLowerCase()} to fill in`,
    },
  },
})

const rows = (field: Field): Partial<Property> => ({
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  default: {},
  placeholder: `Add ${singular(field.title)}`,
  options: [
    {
      displayName: titleCase(field.title),
      name: 'rows',
      values: (field.row?.fields ?? [])
        .map((rowField) => propertyOf({ ...rowField, required: false }))
        .toSorted((property, other) => property.displayName.localeCompare(other.displayName, 'en')),
    },
  ],
})

const placeholderOf = ({ name, placeholder }: Field) => {
  // The linter requires this placeholder for every field with this name.
  if (name === 'email') return { placeholder: 'name@email.com' }
  return placeholder === undefined ? {} : { placeholder: `e.g. ${placeholder}` }
}
const textDefault = ({ default: defaultValue }: Field) => (typeof defaultValue === 'string' ? defaultValue : '')

/** The parts of a parameter that depend on the control; the others are the same for all. */
const byControl = (field: FormField): Partial<Property> => {
  if (field.account) return mapper(field)
  const title = titleCase(field.title)
  const choices = optionsOf(field)
  switch (field.control) {
    case 'pick':
      return locator(field)
    case 'pick-many':
      return {
        displayName: `${singular(field.title)} Names or IDs`,
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: loadMethod(field.name) },
        default: [],
        description: `${description(field.description).replace(/\.$/, '')}. ${dynamicHints}.`,
      }
    case 'choice':
      return { type: 'options', options: choices, default: field.default ?? field.choices?.[0] ?? '' }
    case 'choices':
      return { type: 'multiOptions', options: choices, default: [] }
    case 'switch':
      return { type: 'boolean', default: field.default === true, description: whether(field.title, field.description) }
    case 'number':
      return { type: 'number', default: typeof field.default === 'number' ? field.default : 0 }
    case 'duration': {
      const { title: unit, factor } = shownUnits[field.unit ?? 'seconds']!
      return {
        displayName: `${title} (${unit})`,
        type: 'number',
        default: typeof field.default === 'number' ? field.default / factor : 0,
      }
    }
    case 'date-time':
      return { type: 'dateTime', default: '' }
    case 'long-text':
      return { type: 'string', typeOptions: { rows: 4 }, default: textDefault(field), ...placeholderOf(field) }
    case 'secret':
      return { type: 'string', typeOptions: { password: true }, default: '' }
    case 'list':
      return {
        type: 'string',
        typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${singular(field.title)}` },
        default: [],
      }
    case 'rows':
      return rows(field)
    case 'json':
      return { type: 'json', default: '' }
    case 'file':
      return {
        displayName: `Input Binary Field With the ${title}`,
        type: 'string',
        default: 'data',
        hint: 'The name of the input field with the file',
      }
    default:
      return { type: 'string', default: textDefault(field), ...placeholderOf(field) }
  }
}

/** The parameter for a field of a manifest. `shown`: the conditions under which it is shown. */
export const propertyOf = (field: FormField, shown: DisplayRule = {}): Property => {
  const help = field.helpUrl === undefined ? '' : ` <a href="${field.helpUrl}">More about it</a>.`
  const text = description(field.description)
  const hasText = text !== '' && (help !== '' || !repeatsTitle(field.title, text))
  return limitOf(field, {
    displayName: titleCase(field.title),
    name: field.name,
    type: 'string',
    default: '',
    ...(field.required ? { required: true } : {}),
    ...(hasText ? { description: help === '' ? text : `${text.replace(/\.$/, '')}.${help}` } : {}),
    ...shown,
    ...byControl(field),
  })
}

/**
 * The linter requires the same settings for every parameter called "limit"; its default applies only when a user adds
 * the parameter.
 */
const limitOf = (field: Field, property: Property): Property =>
  field.name === 'limit' && field.control === 'number'
    ? { ...property, typeOptions: { minValue: 1 }, default: 50, description: 'Max number of results to return' }
    : property

/** The parameters for one field. A table can also be entered as JSON, because its rows often come from another node. */
export const propertiesOf = (field: FormField, shown: Required<DisplayRule>): Property[] => {
  if (field.control !== 'rows') return [propertyOf(field, shown)]
  const source = `${field.name}Source`
  const title = titleCase(field.title)
  const when = (value: string) => ({
    displayOptions: { ...shown.displayOptions, show: { ...shown.displayOptions.show, [source]: [value] } },
  })
  return [
    {
      displayName: `${title} As`,
      name: source,
      type: 'options',
      options: [
        { name: 'Fields Below', value: 'rows' },
        { name: 'JSON', value: 'json' },
      ],
      default: 'rows',
      description: `How to enter ${field.title.toLowerCase()}`,
      ...shown,
    },
    propertyOf(field, when('rows')),
    {
      displayName: `${title} (JSON)`,
      name: `${field.name}Json`,
      type: 'json',
      default: '[]',
      required: field.required,
      description: `List of objects with any of these fields: ${(field.row?.fields ?? []).map(({ name }) => name).join(', ')}`,
      ...when('json'),
    },
  ]
}

export const specOf = (field: FormField, schema?: Schema): FieldSpec => ({
  name: field.name,
  title: titleCase(field.title),
  control: field.account ? 'account' : field.control,
  ...(schema?.['minLength'] === 0 ? { empty: true as const } : {}),
  ...(field.control === 'duration' ? { factor: shownUnits[field.unit ?? 'seconds']!.factor } : {}),
  ...(field.row ? { rows: field.row.fields.map((rowField) => specOf(rowField)) } : {}),
})
