/** Pages of this server that ask who is signed in, as the one does that asks for consent. */
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAddressOf, createBrowserAddressOf } from '../../shared/faces/http/address.ts'
import { createSignIn } from '../../shared/faces/http/login/signed-in.ts'
import { createSessionCookie } from '../../shared/faces/http/session-cookie.ts'
import { toFailureJson, isFailure } from '#kit'
import { openBrowser, openLoginWorld } from './world.ts'
import type { LoginWorld } from './world.ts'

let world: LoginWorld
const app = Fastify()
let cookie = ''
let csrfToken = ''
let host = ''

beforeAll(async () => {
  world = await openLoginWorld()
  host = new URL(world.origin).host
  const settings = { publicUrl: undefined }
  const signIn = createSignIn({
    pack: world.pack,
    cookie: createSessionCookie(createBrowserAddressOf(settings)),
    addressOf: createAddressOf(settings),
  })
  app.setErrorHandler((thrown, _request, reply) =>
    reply.code(400).send(isFailure(thrown) ? toFailureJson(thrown) : { code: 'defect' }),
  )
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const path of ['/oauth/page', '/other/page']) {
    app.get(path, async (request) => {
      const person = await signIn.signedIn(request)
      return person
        ? { person: person.caller.person, token: person.session.token.name, csrfToken: person.csrfToken }
        : { signIn: signIn.addressFor(request, '/oauth/page?a=1&b=2') }
    })
    app.post<{ Querystring: { csrf?: string } }>(path, async (request) => ({
      allowedBy: (await signIn.requireOwnForm(request, request.query.csrf)).caller.person,
    }))
  }
  const browser = openBrowser()
  await browser.signIn(world.origin)
  const row = [...browser.jar.values()].find(({ path }) => path === '/oauth')!
  cookie = `${row.name}=${row.value}`
  csrfToken = (await browser.session(world.origin)).json.csrfToken as string
})
afterAll(async () => {
  await app.close()
  await world.close()
})

const get = async (headers: Record<string, string> = {}, url = '/oauth/page') =>
  (await app.inject({ url, headers: { host, ...headers } })).json()
const post = async (headers: Record<string, string>, csrf = csrfToken) =>
  (await app.inject({ method: 'POST', url: `/oauth/page?csrf=${csrf}`, headers: { host, ...headers } })).json()

describe('a page below /oauth', () => {
  it('knows who is signed in, also when another site sent the browser here', async () => {
    const person = { person: 'ada-1', token: 'Sign-in of ada-1', csrfToken }
    expect(await get({ cookie })).toEqual(person)
    expect(await get({ cookie, 'sec-fetch-site': 'cross-site' })).toEqual(person)
  })

  it('sends whoever is not signed in to sign in, and back', async () => {
    const signIn = `http://${host}/login?next=%2Foauth%2Fpage%3Fa%3D1%26b%3D2`
    expect(await get()).toEqual({ signIn })
    expect(await get({ cookie: `${cookie}; ${cookie}` })).toEqual({ signIn })
    expect(await get({ cookie: `${cookie}x` })).toEqual({ signIn })
    expect(await get({ cookie, host: 'evil.example' })).not.toHaveProperty('person')
    expect(await get({ cookie, authorization: 'Bearer x' })).toEqual({ signIn })
    // The cookie is not meant for other paths.
    expect(await get({ cookie }, '/other/page')).toEqual({ signIn })
    expect(await openBrowser().signIn(world.origin, '/oauth/page?a=1&b=2')).toMatchObject({
      location: `${world.origin}/oauth/page?a=1&b=2`,
    })
  })

  it('takes a form of its own only: with the session’s CSRF token, and of no other site', async () => {
    const origin = `http://${host}`
    const own = { cookie, origin, 'sec-fetch-site': 'same-origin' }
    expect(await post(own)).toEqual({ allowedBy: 'ada-1' })
    // Without a referrer, browsers hide the origin of a form.
    expect(await post({ ...own, origin: 'null' })).toEqual({ allowedBy: 'ada-1' })
    expect(await post(own, '')).toMatchObject({ code: 'not_allowed' })
    expect(await post(own, `${csrfToken}x`)).toMatchObject({ code: 'not_allowed' })
    expect(await post({ ...own, 'sec-fetch-site': 'cross-site' })).toMatchObject({ code: 'not_allowed' })
    expect(await post({ ...own, origin: 'null', 'sec-fetch-site': 'cross-site' })).toMatchObject({
      code: 'not_allowed',
    })
    expect(await post({ ...own, origin: 'https://evil.example' })).toMatchObject({ code: 'not_allowed' })
    expect(await post({ origin, 'sec-fetch-site': 'same-origin' })).toMatchObject({ code: 'unauthenticated' })
  })
})
