import { readFileSync } from 'node:fs'
import type { Parameter, ParameterTable } from '../../scripts/board-parameters.ts'
import type { ExampleCase } from '#kit'

export const table = JSON.parse(readFileSync(new URL('parameters.json', import.meta.url), 'utf8')) as ParameterTable

type Sent = Pick<ExampleCase['exchanges'][number]['request'], 'method' | 'body'> & {
  path: string
  query?: object | undefined
}

const isId = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
const fits: Record<string, (value: unknown) => boolean> = {
  id: isId,
  'id[]': (value) => Array.isArray(value) && value.every(isId),
  'object[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
  // In a query: names with commas between.
  'string[]': (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  null: (value) => value === null,
}

/** A query value as the text of an address means it. */
const read = (value: unknown, type: string): unknown => {
  if (typeof value !== 'string') return value
  if (type.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true'
  if (/integer|number/.test(type) && /^\d+(\.\d+)?$/.test(value)) return Number(value)
  return value
}

const typeProblem = (name: string, value: unknown, { type }: Parameter): string[] => {
  const choices = type.split('|')
  const unknown = choices.filter((choice) => !(choice in fits))
  if (unknown.length > 0) return [`${name}: the check does not know the type ${unknown.join(', ')}`]
  return choices.some((choice) => fits[choice]!(value)) ? [] : [`${name}: ${JSON.stringify(value)} is not ${type}`]
}

/** The operation of the table a request is for: method and segments equal, the one with most literal segments. */
export const operationOf = (method: string, path: string): string | undefined => {
  const segments = path.replace(/^\/1(?=\/)/, '').split('/')
  const literal = (operation: string) =>
    operation.split(/[ /]/).filter((part) => part !== '' && !part.startsWith('{')).length
  return Object.keys(table)
    .filter((operation) => {
      const [verb, template = ''] = operation.split(' ')
      const parts = template.split('/')
      return (
        verb === method &&
        parts.length === segments.length &&
        parts.every((part, n) => (part.startsWith('{') ? segments[n] !== '' : part === segments[n]))
      )
    })
    .sort((a, b) => literal(b) - literal(a))[0]
}

const isFilePart = (value: unknown) =>
  typeof value === 'object' && value !== null && ('file' in value || 'filename' in value)

/**
 * What is wrong with a request by the table of the vendor's parameters; empty when fine. The table says "query" for
 * what the service also takes in a JSON body. Path parameters are only counted: the service takes short links and "me"
 * there, where the table says id.
 */
export const requestProblems = (request: Sent): string[] => {
  const operation = operationOf(request.method, request.path)
  if (operation === undefined) return [`${request.method} ${request.path} is no operation of the board`]
  const knownParameters = table[operation]!
  const problems: string[] = []
  const body = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) return [`${operation}: the body is not an object`]
  if (request.body !== undefined && (request.method === 'GET' || request.method === 'DELETE'))
    problems.push('a body where none belongs')
  if (request.query !== undefined && Object.keys(request.query).length > 0 && request.method !== 'GET')
    problems.push('query parameters on a write: long texts would not fit in an address')
  const sent = { ...request.query, ...body } as Record<string, unknown>
  // The table has files as texts: what a form holds. A form also holds lists as texts with commas.
  const isForm = Object.values(body).some(isFilePart)
  for (const [name, value] of Object.entries(sent)) {
    const parameter = knownParameters[name]
    if (parameter === undefined || parameter.in === 'path') problems.push(`${name} is not a parameter`)
    else if (isFilePart(value)) {
      if (!name.startsWith('file')) problems.push(`${name} is no file`)
    } else {
      const isList = isForm && parameter.type.endsWith('[]') && typeof value === 'string'
      problems.push(...typeProblem(name, isList ? value.split(',') : read(value, parameter.type), parameter))
    }
  }
  for (const [name, { required, in: place }] of Object.entries(knownParameters))
    if (required && place !== 'path' && !(name in sent)) problems.push(`${name} is required`)
  return problems.map((problem) => `${operation}: ${problem}`)
}
