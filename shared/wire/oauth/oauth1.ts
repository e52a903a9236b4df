import { createHmac, randomBytes } from 'node:crypto'
import OAuth from 'oauth-1.0a'
import { fail } from '#kit'
import type { OAuth1Profile } from '#kit'
import { saidBy } from './unauthenticated-client.ts'
import type { UnauthenticatedSend } from './unauthenticated-client.ts'
import type { OAuth1Token, OAuthApp, Reply, Signed } from '../types.ts'

type Stamp = { timestamp: number; nonce: string }

/** Timestamp and nonce, which make each signature different from every other. `now` in ms. */
export const newStamp = (now: number): Stamp => ({
  timestamp: Math.floor(now / 1000),
  nonce: randomBytes(16).toString('hex'),
})

/** The Authorization header of one signed request (HMAC-SHA1). `timestamp` in seconds. */
export const signOAuth1 = (
  app: OAuthApp,
  token: OAuth1Token | undefined,
  request: Signed,
  { timestamp, nonce }: Stamp,
): string => {
  const signer = new OAuth({
    consumer: app,
    signature_method: 'HMAC-SHA1',
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  })
  // The library's own clock and randomness cannot be controlled by a test.
  signer.getTimeStamp = () => timestamp
  signer.getNonce = () => nonce
  const values = signer.authorize({ ...request }, token ? { key: token.token, secret: token.secret } : undefined)
  const added = Object.entries(request.data ?? {}).filter(([name]) => name.startsWith('oauth_'))
  return signer.toHeader({ ...values, ...Object.fromEntries(added) }).Authorization
}

export type OAuth1 = {
  /** First leg: fetches a request token and registers the address that the browser comes back to. */
  begin(integration: string, facts: OAuth1Profile, app: OAuthApp, callback: string): Promise<OAuth1Token>
  /** Third leg: exchanges the request token for the token of the account. */
  finish(
    integration: string,
    facts: OAuth1Profile,
    app: OAuthApp,
    request: OAuth1Token,
    verifier: string,
  ): Promise<OAuth1Token>
}

const unset = (setting: string) =>
  fail('wire_unset', `The provider documents do not show this address. The operator sets "${setting}".`)

/** The legs of OAuth 1.0a over our own transport. The second leg, in the browser, is the caller's. */
export const createOAuth1 = (send: UnauthenticatedSend, now: () => number): OAuth1 => {
  const leg = async (
    setting: string,
    address: string | null,
    app: OAuthApp,
    token: OAuth1Token | undefined,
    data: Record<string, string>,
  ): Promise<OAuth1Token & { confirmed: boolean }> => {
    if (address === null) throw unset(setting)
    const stamp = newStamp(now())
    const authorization = signOAuth1(app, token, { method: 'POST', url: address, data }, stamp)
    const reply = await send({ method: 'POST', address, setting, headers: { authorization, accept: '*/*' } })
    return readToken(reply, [app.secret, ...(token ? [token.token, token.secret] : []), ...Object.values(data)])
  }
  return {
    async begin(integration, facts, app, callback) {
      const { confirmed, ...token } = await leg(
        `wire.${integration}.oauth.v1.requestUrl`,
        facts.requestUrl,
        app,
        undefined,
        { oauth_callback: callback },
      )
      // Without this confirmation the provider may send the browser to another address, the weakness of OAuth 1.0 that
      // 1.0a removed.
      if (!confirmed)
        throw fail(
          'bad_reply',
          'The provider did not confirm the address to come back to, as OAuth 1.0a demands. Nothing was connected.',
        )
      return token
    },
    async finish(integration, facts, app, request, verifier) {
      const { confirmed: _, ...token } = await leg(
        `wire.${integration}.oauth.v1.tokenUrl`,
        facts.tokenUrl,
        app,
        request,
        { oauth_verifier: verifier },
      )
      return token
    },
  }
}

const readToken = (reply: Reply, secrets: string[]) => {
  if (reply.status !== 200) {
    const [code, remedy] =
      reply.status >= 500
        ? (['provider_failed', 'Try again later.'] as const)
        : ([
            'rejected',
            'Check the key and secret of the app, and that its allowed origins hold the address of this server.',
          ] as const)
    throw fail(code, `The provider refused a step of connecting (it answered ${reply.status}). ${remedy}`, {
      providerStatus: reply.status,
      providerMessage: saidBy(reply, secrets),
    })
  }
  const values = new URLSearchParams(typeof reply.body === 'string' ? reply.body : '')
  const [token, secret] = [values.get('oauth_token'), values.get('oauth_token_secret')]
  if (!token || secret === null)
    throw fail('bad_reply', 'The provider answered a step of connecting with something that holds no token.', {
      providerStatus: reply.status,
    })
  return { token, secret, confirmed: values.get('oauth_callback_confirmed') === 'true' }
}
