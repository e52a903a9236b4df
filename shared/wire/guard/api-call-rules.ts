import { failField, showRule } from '#kit'
import { normalName } from './names.ts'
import { pathPattern } from './paths.ts'
import type { PathPattern } from './paths.ts'
import type { Call, CallPolicy } from '../types.ts'

/** A parameter that is refused when it is present, or when one of its values contains `word`. */
type QueryRule = { name: string; word: string | undefined }

export type CompiledPolicy = {
  methods: readonly string[]
  /** Ends with "/", so that `/1evil` is not below `/1`. */
  under: string
  deny: { fits: PathPattern; methods: readonly string[] | undefined; query: QueryRule[] | undefined; reason: string }[]
  allow: { fits: PathPattern; methods: readonly string[] | undefined; shown: string }[] | undefined
  only: PathPattern[] | undefined
}

const queryRule = (rule: string): QueryRule => {
  const [name = '', word] = rule.split('=')
  return { name: normalName(name), word: word?.toLowerCase() }
}

const holdsWord = (value: unknown, word: string): boolean =>
  Array.isArray(value)
    ? value.some((item) => holdsWord(item, word))
    : String(value)
        .normalize('NFKC')
        .toLowerCase()
        .split(/[^a-z0-9_]+/)
        .includes(word)

/** Whether one of the parameters is given, in the query or as a property of the body, which providers read alike. */
const givesOne = (rules: QueryRule[], { query, body }: Pick<Call, 'query' | 'body'>): boolean =>
  [query, body].some(
    (part) =>
      typeof part === 'object' &&
      part !== null &&
      !Array.isArray(part) &&
      Object.entries(part).some(([name, value]) =>
        rules.some(
          (rule) =>
            value !== undefined &&
            rule.name === normalName(name) &&
            (rule.word === undefined || holdsWord(value, rule.word)),
        ),
      ),
  )

export const compilePolicy = ({ methods, under, allow, deny, only }: CallPolicy): CompiledPolicy => ({
  methods,
  under: under.endsWith('/') ? under : `${under}/`,
  deny: deny.map(({ path, methods: of, query, reason }) => ({
    fits: pathPattern(path, true),
    methods: of,
    query: query?.map(queryRule),
    reason,
  })),
  allow: allow?.map((rule) => ({ fits: pathPattern(rule.path, false), methods: rule.methods, shown: showRule(rule) })),
  only: only?.map((pattern) => pathPattern(pattern, false)),
})

/** Throws `not_allowed` for a request that a rule denies. With `only`, just the rules about parameters are checked. */
export const checkDenied = (
  compiled: CompiledPolicy,
  method: string,
  path: string,
  call: Pick<Call, 'query' | 'body'>,
  only?: 'parameters',
) => {
  for (const { methods, query, fits, reason } of compiled.deny) {
    if (methods !== undefined && !methods.includes(method)) continue
    if (only !== undefined && query === undefined) continue
    if ((query !== undefined && !givesOne(query, call)) || !fits(path)) continue
    const what =
      query === undefined
        ? `${method} on this path`
        : `This path with one of the parameters ${query.map(({ name }) => `"${name}"`).join(', ')}`
    throw failField(
      query === undefined ? 'path' : 'query',
      `${what} is refused: ${reason} Nothing was sent.`,
      'not_allowed',
    )
  }
}

export const checkPolicy = (
  compiled: CompiledPolicy,
  method: string,
  path: string,
  call: Pick<Call, 'query' | 'body'>,
) => {
  checkDenied(compiled, method, path, call)
  if (
    compiled.allow !== undefined &&
    !compiled.allow.some(({ methods, fits }) => (methods === undefined || methods.includes(method)) && fits(path))
  ) {
    const allowed = compiled.allow.map(({ shown }) => shown).join(', ')
    throw failField(
      'path',
      `${method} on this path is not allowed here. Allowed: ${allowed}. Nothing was sent.`,
      'not_allowed',
    )
  }
  if (compiled.only !== undefined && !compiled.only.some((fits) => fits(path))) {
    throw failField(
      'path',
      'This account is limited to other paths. Ask whoever manages it to allow this one; nothing was sent.',
      'not_allowed',
    )
  }
}
