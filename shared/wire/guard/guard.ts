import { fail, failField } from '#kit'
import type { BodyKind, Json, Query } from '#kit'
import { checkDenied, checkPolicy, compilePolicy } from './api-call-rules.ts'
import type { CompiledPolicy } from './api-call-rules.ts'
import { encodeBody } from './body.ts'
import type { EncodedBody } from './body.ts'
import { normalName } from './names.ts'
import { canonicalPath, checkBuilt } from './paths.ts'
import type { Call, CallPolicy, OutgoingFiles } from '../types.ts'

/** A request without credentials: what logs, previews and errors may be built from. */
export type PlainRequest = {
  method: string
  /** The path with that of the base URL in front, without query. */
  path: string
  /** Encoded, without "?"; '' when there is none. */
  query: string
  body: Json | undefined
  bodyAs: BodyKind
  contentType: string | undefined
  encoded: EncodedBody | undefined
  files: OutgoingFiles | undefined
  /** Headers of a conditional request, as alternating names and values. */
  conditions: readonly string[]
  correlationId: string | undefined
  /** The path contains `{secret:name}`, whose value is inserted with the credential, last. */
  secretsInPath: boolean
  /** Shown in place of path and query, where they came from the provider and may hold a secret. */
  shownPath?: string
}

/** What the guard needs from a provider's profile; made once. */
export type GuardFacts = {
  origin: string
  /** Path of the base URL without a trailing "/". */
  prefix: string
  /** Normal forms (`normalName`) of names that callers may never set. */
  reserved: Set<string>
  /** Names already found to be harmless. */
  harmless: Set<string>
}

const maxBodyBytes = 2 * 1024 * 1024
const maxUploadBytes = 16 * 1024 * 1024
const maxValues = 100_000
const maxDepth = 64
const maxQueryLength = 16 * 1024

/** A name with these would be another one once it is decoded again or its invisible characters are removed. */
const disguised = /%[0-9a-f]{2}|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/iu

const checkName = (facts: GuardFacts, name: string, parent: string) => {
  if (facts.harmless.has(name)) return
  if (name === '__proto__')
    throw failField(`${parent}/${name}`, `"__proto__" cannot be a name in a request. Remove it.`)
  if (disguised.test(name)) {
    throw failField(
      parent,
      'A name in the request holds a percent-encoded, invisible or control character. Give names as plain text; nothing was sent.',
      'not_allowed',
    )
  }
  if (facts.reserved.has(normalName(name))) {
    throw failField(
      `${parent}/${name}`,
      `"${name}" cannot be set by a caller: credentials and method are added by the connected account. Remove it; nothing was sent.`,
      'not_allowed',
    )
  }
  // Bounded, since callers may make up names.
  if (facts.harmless.size < 2000 && name.length < 64) facts.harmless.add(name)
}

const checkMethod = (method: unknown, policy: { methods: readonly string[] }): string => {
  if (typeof method === 'string' && policy.methods.includes(method)) return method
  const allowed =
    policy.methods.length > 0 ? `Allowed here: ${policy.methods.join(', ')}.` : 'No method is allowed here.'
  const shown = typeof method === 'string' && /^[A-Z]{1,10}$/.test(method) ? `"${method}"` : 'given'
  throw failField('method', `The method ${shown} is not allowed. ${allowed} Nothing was sent.`, 'not_allowed')
}

const encode = (text: string, name: string) => {
  try {
    return encodeURIComponent(text)
  } catch {
    throw failField(`/query/${name}`, 'A query parameter holds a broken Unicode character. Give it as plain text.')
  }
}

const scalarText = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  throw failField(
    `/query/${name}`,
    `The query parameter "${name}" must be a text, a number, true or false, or a list of them. Send nested values in "body".`,
  )
}

const buildQuery = (facts: GuardFacts, query: Query): string => {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) {
    throw failField('query', 'Query parameters are an object of names and values.')
  }
  let built = ''
  const add = (name: string, value: unknown) => {
    built += `${built === '' ? '' : '&'}${encode(name, name)}=${encode(scalarText(value, name), name)}`
  }
  for (const name of Object.keys(query)) {
    const value = query[name]
    if (value === undefined) continue
    checkName(facts, name, '/query')
    if (Array.isArray(value)) for (const item of value) add(name, item)
    else add(name, value)
  }
  if (built.length > maxQueryLength)
    throw failField(
      'query',
      'The query parameters are longer than 16 KB together. Send less, or use "body".',
      'too_large',
    )
  return built
}

const checkBody = (facts: GuardFacts, value: unknown, pointer: string, depth: number, left: { values: number }) => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw failField(pointer, 'A number in the body is not finite. JSON has no such number.')
    return
  }
  if (typeof value !== 'object')
    throw failField(pointer, 'The body holds something that is not JSON (a function, a symbol or a big integer).')
  if (depth > maxDepth) throw failField(pointer, `The body is nested deeper than ${maxDepth} levels.`)
  if (Array.isArray(value)) {
    left.values -= value.length
    if (left.values < 0)
      throw failField('body', `The body holds more than ${maxValues} values. Send fewer at a time.`, 'too_large')
    for (let at = 0; at < value.length; at += 1) checkBody(facts, value[at], `${pointer}/${at}`, depth + 1, left)
    return
  }
  const kind = Object.getPrototypeOf(value)
  if (kind !== null && kind !== Object.prototype)
    throw failField(
      pointer,
      'The body holds an object that is not plain JSON (a date, a map or an instance). Give its JSON.',
    )
  for (const name of Object.keys(value)) {
    left.values -= 1
    const inner = (value as Record<string, unknown>)[name]
    if (inner === undefined) continue
    checkName(facts, name, pointer)
    if (name === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
      throw failField(`${pointer}/${name}`, `"constructor" with a "prototype" in it cannot be in a request. Remove it.`)
    if (typeof inner !== 'string')
      checkBody(facts, inner, typeof inner === 'object' ? `${pointer}/${name}` : pointer, depth + 1, left)
  }
  if (left.values < 0)
    throw failField('body', `The body holds more than ${maxValues} values. Send fewer at a time.`, 'too_large')
}

const checkAndEncode = (
  facts: GuardFacts,
  method: string,
  { body, files, contentType }: Pick<Call, 'body' | 'files' | 'contentType'>,
  kind: BodyKind,
): EncodedBody | undefined => {
  if (body === undefined) return undefined
  if (method === 'GET') throw failField('body', 'A GET request has no body. Give the values in "query".')
  checkBody(facts, body, '/body', 0, { values: maxValues })
  const encoded = encodeBody(kind, body, files, contentType)
  const maxBytes = kind === 'multipart' || kind === 'raw' ? maxUploadBytes : maxBodyBytes
  // A streamed file was bounded when it was stored.
  const size =
    typeof encoded.content === 'object' && 'literal' in encoded.content
      ? encoded.content.literal
      : encoded.content.length
  if (size > maxBytes)
    throw failField('body', `The body is larger than ${maxBytes / 1024 / 1024} MiB. Send less at a time.`, 'too_large')
  return encoded
}

const noConditions: readonly string[] = []

const conditionsOf = ({ method, ifNoneMatch, ifModifiedSince }: Call): readonly string[] => {
  if (method !== 'GET') throw fail('internal', 'Only a GET request can be conditional.')
  return [
    ...(ifNoneMatch === undefined ? [] : ['if-none-match', ifNoneMatch]),
    ...(ifModifiedSince === undefined ? [] : ['if-modified-since', ifModifiedSince]),
  ]
}

/** Paths that every URL parser leaves unchanged. */
const plainPath = /^[\w/~-]*$/

/** Returns the canonical path, so that the path the policy was checked against is the path that is sent. */
const checkPath = (
  facts: GuardFacts,
  rules: CompiledPolicy,
  method: string,
  path: string,
  call: Pick<Call, 'query' | 'body'>,
): string => {
  const canonical = canonicalPath(path)
  if (!canonical.startsWith(rules.under))
    throw failField('path', `The path must begin with "${rules.under}". Nothing was sent.`, 'not_allowed')
  if (!plainPath.test(canonical)) checkBuilt(facts.origin, facts.prefix + canonical)
  if (rules.deny.length > 0 || rules.allow !== undefined || rules.only !== undefined)
    checkPolicy(rules, method, canonical, call)
  return canonical
}

/** For the check, a secret counts as one plain segment, since it is encoded when it is inserted. */
const withoutSecrets = (path: string) => path.replace(/\{secret:\w+\}/g, 'secret')

export const createGuard = () => {
  const compiled = new WeakMap<CallPolicy, CompiledPolicy>()
  const compile = (policy: CallPolicy) => {
    let compiledPolicy = compiled.get(policy)
    if (!compiledPolicy) {
      compiledPolicy = compilePolicy(policy)
      compiled.set(policy, compiledPolicy)
    }
    return compiledPolicy
  }

  /** The parsed form of an address that the provider gave; undefined when it is outside the provider's base address. */
  const ownAddress = (facts: GuardFacts, path: string, address: string): URL | undefined => {
    if (!URL.canParse(address, facts.origin + path)) return undefined
    const url = new URL(address, facts.origin + path)
    return url.origin === facts.origin &&
      url.username === '' &&
      url.password === '' &&
      url.pathname.startsWith(`${facts.prefix}/`)
      ? url
      : undefined
  }
  const queryOf = (facts: GuardFacts, url: URL): Query => {
    // The provider chose these names, so the object has no prototype whose properties they could mean.
    const query = Object.create(null) as Query
    for (const [name, value] of url.searchParams) {
      if (name !== '__proto__' && !facts.reserved.has(normalName(name)))
        query[name] = [...((query[name] as string[] | undefined) ?? []), value]
    }
    return query
  }

  /** A request to an address that the provider gave, which is sent as it is. */
  const toAddress = (facts: GuardFacts, call: Call, address: string): PlainRequest => {
    const { pathname, search } = new URL(address)
    const method = checkMethod(call.method, compile(call.policy))
    const bodyAs = call.bodyAs ?? 'json'
    return {
      method,
      path: pathname,
      query: search.slice(1),
      body: call.body,
      bodyAs,
      contentType: call.contentType,
      encoded: checkAndEncode(facts, method, call, bodyAs),
      files: call.files,
      conditions: noConditions,
      correlationId: undefined,
      secretsInPath: false,
      shownPath: call.path,
    }
  }

  return {
    /**
     * Checks everything a caller can choose and builds the request without credentials.
     * Throws `not_allowed`, `invalid_input` or `too_large`; nothing has been sent then.
     */
    request(facts: GuardFacts, call: Call): PlainRequest {
      if (call.address !== undefined) return toAddress(facts, call, call.address)
      const rules = compile(call.policy)
      const method = checkMethod(call.method, rules)
      const bodyAs = call.bodyAs ?? call.profile.body ?? 'json'
      const secretsInPath = call.secretsInPath === true && call.path.includes('{secret:')
      const canonical = checkPath(facts, rules, method, secretsInPath ? withoutSecrets(call.path) : call.path, call)
      return {
        method,
        path: facts.prefix + (secretsInPath ? call.path : canonical),
        query: call.query === undefined ? '' : buildQuery(facts, call.query),
        body: call.body,
        bodyAs,
        contentType: call.contentType,
        encoded: checkAndEncode(facts, method, call, bodyAs),
        files: call.files,
        conditions:
          call.ifNoneMatch === undefined && call.ifModifiedSince === undefined ? noConditions : conditionsOf(call),
        correlationId: call.correlationId,
        secretsInPath,
      }
    },

    /**
     * Query of a further page: what the address adds to the query of the call. Throws `bad_reply` for an address on
     * another origin, and `not_allowed` for a parameter that `call.policy` denies, since the address may have passed
     * through a caller.
     */
    pageQuery(facts: GuardFacts, call: Call, address: string): Query {
      const url = ownAddress(facts, facts.prefix + call.path, address)
      if (!url)
        throw fail(
          'bad_reply',
          `${call.integration} gave an address for the next page that is not its own, so nothing was sent to it.`,
        )
      const query = { ...queryOf(facts, url), ...call.query }
      const added = Object.fromEntries(Object.entries(query).filter(([name]) => !Object.hasOwn(call.query ?? {}, name)))
      checkDenied(compile(call.policy), call.method, call.path, { query: added, body: undefined }, 'parameters')
      return query
    },

    /**
     * The same request at the address that a redirect names: on the same origin, with the same rules for its path, and
     * without reserved names in its query. undefined when the address is not acceptable.
     */
    redirected(facts: GuardFacts, call: Call, plain: PlainRequest, location: string): PlainRequest | undefined {
      const url = ownAddress(facts, plain.path, location)
      if (!url) return undefined
      const query = queryOf(facts, url)
      try {
        const path = checkPath(facts, compile(call.policy), plain.method, url.pathname.slice(facts.prefix.length), {
          query,
          body: call.body,
        })
        return { ...plain, path: facts.prefix + path, query: buildQuery(facts, query) }
      } catch {
        return undefined
      }
    },
  }
}
export type Guard = ReturnType<typeof createGuard>
