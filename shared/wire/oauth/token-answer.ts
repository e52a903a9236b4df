import { valueAt } from '#kit'
import type { Json, OAuth2Answer, OAuth2Profile } from '#kit'

/** What a token answer says beside the token. */
export type Granted = {
  /** Undefined: it does not say. */
  scopes: string[] | undefined
  /** Further secrets of the connection, by name. */
  secrets: Record<string, string>
  account: { id: string; name: string | null } | undefined
  /** Undefined: the profile names no place for them. */
  ownIds: string[] | undefined
}
type Facts = Pick<OAuth2Profile, 'answer' | 'scopeSeparator'>
type Body = { [name: string]: Json }
export type TokenAnswer = { status: number; body: Json }

const isBody = (body: Json): body is Body => typeof body === 'object' && body !== null && !Array.isArray(body)

/** A text or a number, which ids may be, as text. */
const textAt = (body: Json, at: string | undefined): string | undefined => {
  const value = at === undefined ? undefined : valueAt(body, at)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const scopesIn = (body: Json, at: string, separator: string): string[] | undefined => {
  const value = valueAt(body, at)
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === 'string')
  return typeof value === 'string' ? value.split(separator).filter(Boolean) : undefined
}

/**
 * What a token answer grants beside the token.
 * @param body the answer as the provider sent it
 */
export const grantedBy = ({ answer = {}, scopeSeparator = ' ' }: Facts, body: Json): Granted => {
  const accountId = textAt(body, answer.account?.id)
  return {
    scopes: scopesIn(body, answer.scopesAt ?? 'scope', answer.scopeSeparator ?? scopeSeparator),
    secrets: Object.fromEntries(
      Object.entries(answer.secretsAt ?? {}).flatMap(([name, at]) => {
        const secret = textAt(body, at)
        return secret === undefined ? [] : [[name, secret]]
      }),
    ),
    account: accountId === undefined ? undefined : { id: accountId, name: textAt(body, answer.account?.name) ?? null },
    ownIds: answer.ownIdsAt?.map((at) => textAt(body, at)).filter((id) => id !== undefined),
  }
}

const statuses = { invalid_grant: 400, invalid_client: 401, temporarily_unavailable: 503 } as const

/** A refusal in the form of RFC 6749; undefined when the answer is none. */
const refusalIn = ({ status, body }: TokenAnswer, error: NonNullable<OAuth2Answer['error']>) => {
  const code = textAt(body, error.at)
  if (code === undefined || code === '0') return undefined
  const meaning = error.means && Object.hasOwn(error.means, code) ? error.means[code] : undefined
  const message = textAt(body, error.messageAt)
  const description = [...(meaning === undefined ? [] : [code]), ...(message === undefined ? [] : [message])]
  return {
    status: meaning ? statuses[meaning] : Math.max(status, 400),
    body: {
      error: meaning ?? code,
      ...(description.length === 0 ? {} : { error_description: description.join(': ') }),
    },
  }
}

/**
 * A token answer in the form of RFC 6749, which the protocol library then checks. It is changed only where the profile
 * says that the provider's form is another one. An ID token is left out of such an answer: nothing reads it.
 */
export const inStandardForm = (answer: OAuth2Answer | undefined, reply: TokenAnswer): TokenAnswer => {
  const { status, body } = reply
  if (answer === undefined || !isBody(body)) return reply
  const refused = answer.error && refusalIn(reply, answer.error)
  if (refused) return refused
  if (status >= 400) return reply
  const places = {
    access_token: answer.tokenAt ?? 'access_token',
    refresh_token: answer.refreshTokenAt ?? 'refresh_token',
    expires_in: answer.expiresInAt ?? 'expires_in',
  }
  const values = Object.entries(places).flatMap(([name, at]) => {
    const value = valueAt(body, at) as Json | undefined
    return value === undefined || value === null || value === '' ? [] : [[name, value] as const]
  })
  const type = answer.tokenType === 'unstated' ? 'bearer' : body.token_type
  return { status, body: { ...Object.fromEntries(values), ...(type === undefined ? {} : { token_type: type }) } }
}
