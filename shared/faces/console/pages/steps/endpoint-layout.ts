/** The form of an endpoint, from its parameters, and the request that it stands for. Pure. */
import type { Manifest } from '../../api/index.ts'
import type { Layout, LayoutField, Values } from '../../form/draft.ts'
import { isEmpty, Unreadable } from '../../form/draft.ts'
import { fillPath } from './refusal.ts'

export type Operation = Manifest['apiCall']['operations'][number]
type Parameter = Operation['parameters'][number]
type Place = 'path' | 'query' | 'body'

const placeOf = ({ method }: Operation, { in: place }: Parameter): Place =>
  place === 'either' ? (method === 'GET' || method === 'DELETE' ? 'query' : 'body') : place

const controlOf = ({ type, list, choices }: Parameter): LayoutField['control'] => {
  if (list) return choices ? 'choices' : type === 'object' || type === 'any' ? 'json' : 'list'
  if (choices) return 'choice'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'switch'
  return type === 'string' ? 'text' : 'json'
}

/** Where a parameter goes and what it is called are one name, since a path and a body may both have an `id`. */
const nameOf = (place: Place, name: string) => `${place}.${name}`

const titleOf = (name: string) => {
  const words = name
    .replace(/[_/.-]+|(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const places: Record<Place, string> = { path: 'path', query: 'query', body: 'body' }

/** Parameters that the provider needs come first; the others are folded. */
export const endpointLayout = (operation: Operation): Layout => {
  const fields = operation.parameters.map((parameter): LayoutField => {
    const place = placeOf(operation, parameter)
    const { name, choices } = parameter
    const required = place === 'path' || parameter.required === true
    return {
      name: nameOf(place, name),
      title: titleOf(name),
      description: `“${name}” in the ${places[place]} of the request.`,
      control: controlOf(parameter),
      required,
      place: required ? 'main' : 'more',
      ...(choices ? { choices } : {}),
    }
  })
  return { fields: fields.toSorted((left, right) => Number(right.required) - Number(left.required)), oneOf: null }
}

const ofPlace = (values: Values, place: Place): Values =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
      name.startsWith(`${place}.`) && !isEmpty(value) && !(value instanceof Unreadable)
        ? [[name.slice(place.length + 1), value]]
        : [],
    ),
  )

const some = (values: Values) => (Object.keys(values).length > 0 ? values : undefined)

/** The input of API Call for the values of an endpoint's form. */
export const requestOf = (operation: Operation, values: Values): Values => {
  const inPath = Object.fromEntries(
    Object.entries(ofPlace(values, 'path')).map(([name, value]) => [name, String(value)]),
  )
  const body = some(ofPlace(values, 'body'))
  return {
    method: operation.method,
    path: fillPath(operation.path, inPath),
    query: some(ofPlace(values, 'query')),
    body: body && operation.body === 'list' ? [body] : body,
  }
}
