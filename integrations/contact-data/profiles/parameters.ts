import type { ApiParameter } from '#kit'

type Of = Omit<ApiParameter, 'name' | 'in'>

const listed = (where: ApiParameter['in'], names: string, of: Of): ApiParameter[] =>
  names.split(' ').map((name) => ({ name, in: where, ...of }))

/** Parameters of one type; `names` is a list separated by spaces. */
export const inQuery = (names: string, of: Of = { type: 'string' }) => listed('query', names, of)
export const inBody = (names: string, of: Of = { type: 'string' }) => listed('body', names, of)
export const inPath = (names: string) => listed('path', names, { type: 'string', required: true })
