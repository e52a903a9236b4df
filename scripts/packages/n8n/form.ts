import type { Field, Layout, Schema } from '../manifests.ts'
import { propertiesOf, propertyOf, specOf } from './property.ts'
import type { FieldSpec, Property } from './property.ts'
import { titleCase } from './words.ts'

/** Names of the node's own parameters, which fields must not use. */
const reserved = new Set([
  'resource',
  'operation',
  'event',
  'connection',
  'specify',
  'more',
  'otherFields',
  'options',
  'testWith',
  'returnAll',
  'simple',
])

export type Form = { properties: Property[]; fields: FieldSpec[] }
type Show = Record<string, unknown[]>

/**
 * Fields shown at first: required ones, that of the container, those of a "one of" rule, and scope fields on which another field depends. All
 * other fields are folded, so that only those that a user adds are sent.
 */
const isMain = (field: Field, { fields, oneOf }: Layout, container: string | null): boolean => {
  if (field.required || field.name === container || oneOf?.sets.some((set) => set.fields.includes(field.name)))
    return true
  return field.place === 'main' && field.scope === true && fields.some((other) => other.dependsOn?.includes(field.name))
}

const conditionOf = (is: unknown[] | undefined) => is ?? [{ _cnd: { exists: true } }]

/** `showWhen` of a field as a display option: `pathTo` returns the path from the field to the one that decides. */
const showWhen = ({ showWhen: when }: Field, pathTo: (name: string) => string): Show =>
  when ? { [pathTo(when.field)]: conditionOf(when.is) } : {}

/** With "exactly one of", the user first chooses the alternative. */
const chooser = ({ oneOf }: Layout, show: Show): Property[] =>
  oneOf?.exactlyOne
    ? [
        {
          displayName: 'Specify',
          name: 'specify',
          type: 'options',
          options: oneOf.sets
            .map(({ title, fields }) => ({ name: titleCase(title), value: fields.join('+') }))
            .toSorted((choice, other) => choice.name.localeCompare(other.name, 'en')),
          default: oneOf.sets[0]!.fields.join('+'),
          description: 'Which of these to fill in',
          displayOptions: { show },
        },
      ]
    : []

/** With "at least one of", all alternatives are shown, with a notice. */
const notice = ({ oneOf }: Layout, show: Show): Property[] =>
  oneOf && !oneOf.exactlyOne
    ? [
        {
          displayName: `Fill in at least one of: ${oneOf.sets.map(({ title }) => titleCase(title)).join(', ')}`,
          name: 'atLeastOne',
          type: 'notice',
          default: '',
          displayOptions: { show },
        },
      ]
    : []

/** Reloads choices when one of these parameters changes; locators load theirs each time they are opened. */
const reload = (property: Property, field: Field, { fields }: Layout, pathTo: (name: string) => string): Property => {
  if (!['multiOptions', 'resourceMapper'].includes(property.type) || !field.dependsOn) return property
  const paths = field.dependsOn.map(
    (name) => pathTo(name) + (fields.find((other) => other.name === name)?.control === 'pick' ? '.value' : ''),
  )
  return { ...property, typeOptions: { ...(property['typeOptions'] as object), loadOptionsDependsOn: paths } }
}

/** A server's settings may offer more fields of a step than the package's manifest has. */
const otherFields: Property = {
  displayName: 'Other Fields (JSON)',
  name: 'otherFields',
  type: 'json',
  default: '{}',
  description: 'Fields that your server accepts but this form does not show, as a JSON object',
}

/**
 * The form of a step or of a trigger's config: its parameters, shown while `show` holds, and how they are read back.
 * `open`: the form also accepts other fields. `paging`: fields that only version 1 shows.
 */
export const formOf = (
  { layout, container }: { layout: Layout; container: string | null },
  schema: Schema,
  show: Show,
  open = false,
  paging: string[] = [],
): Form => {
  const taken = layout.fields.find(({ name }) => reserved.has(name))
  if (taken) throw new Error(`The field "${taken.name}" is called like a parameter of every n8n node; rename it.`)
  const main = layout.fields.filter((field) => isMain(field, layout, container))
  const more = layout.fields.filter((field) => !main.includes(field))
  const isIn = (fields: Field[], name: string) => fields.some((field) => field.name === name)
  const setOf = (field: Field) =>
    layout.oneOf?.exactlyOne ? layout.oneOf.sets.filter((set) => set.fields.includes(field.name)) : []
  const chosen = (field: Field): Show =>
    setOf(field).length > 0 ? { specify: setOf(field).map((set) => set.fields.join('+')) } : {}

  const spec = (field: Field) => specOf(field, schema.properties?.[field.name])
  const fromTop = (name: string) => (isIn(main, name) ? name : `more.${name}`)

  const mainProperties = main.flatMap((field) => {
    const when = showWhen(field, fromTop)
    // Every field of the chosen set is required.
    const isNeeded = field.required || setOf(field).length > 0
    const shown = { displayOptions: { show: { ...show, ...chosen(field), ...when } } }
    return propertiesOf({ ...field, required: isNeeded }, shown).map((property) =>
      reload(property, field, layout, fromTop),
    )
  })
  const moreProperties = [
    ...more.map((field) => {
      const when = {
        ...showWhen(field, (name) => (isIn(main, name) ? `/${name}` : name)),
        ...(paging.includes(field.name) ? { '@version': [1] } : {}),
      }
      return reload(
        propertyOf(field, Object.keys(when).length > 0 ? { displayOptions: { show: when } } : {}),
        field,
        layout,
        fromTop,
      )
    }),
    ...(open ? [otherFields] : []),
  ].toSorted((property, other) => property.displayName.localeCompare(other.displayName, 'en'))
  const folded: Property[] =
    moreProperties.length === 0
      ? []
      : [
          {
            displayName: 'Additional Fields',
            name: 'more',
            type: 'collection',
            placeholder: 'Add Field',
            default: {},
            displayOptions: { show },
            options: moreProperties,
          },
        ]
  const firstOfSets = Math.max(
    0,
    mainProperties.findIndex(({ name }) => layout.oneOf?.sets.some((set) => set.fields.includes(name))),
  )
  return {
    properties: [
      ...chooser(layout, show),
      ...mainProperties.slice(0, firstOfSets),
      ...notice(layout, show),
      ...mainProperties.slice(firstOfSets),
      ...folded,
    ],
    fields: [...main.map(spec), ...more.map((field) => ({ ...spec(field), more: true as const }))],
  }
}
