/** A provider that is down, slow, or answers with too much; and where it may be. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { readLoginFile } from '../../shared/settings-files.ts'
import { checkLoginProvider } from '../../shared/pack.ts'
import { clientOf } from './openid-provider.ts'
import { openBrowser, openLoginWorld } from './world.ts'
import type { LoginWorld } from './world.ts'

let world: LoginWorld
beforeEach(async () => {
  world = await openLoginWorld()
})
afterEach(() => world.close())

const steps = ['/.well-known/openid-configuration', '/token', '/keys'] as const

describe('at any step of signing in', () => {
  it.each(steps)(
    '%s that fails or breaks off says that the provider does not answer, and the next try works',
    async (step) => {
      for (const trouble of ['status', 'cut'] as const) {
        world.provider.behaviour.before = (path, response) => {
          if (path !== step) return false
          if (trouble === 'cut') response.destroy()
          else response.writeHead(503).end('{}')
          return true
        }
        const page = await openBrowser().signIn(world.origin)
        expect([page.status, page.cookies.some((line) => line.includes('=tys_'))], trouble).toEqual([503, false])
        expect(page.text).toContain('does not answer')
      }
      delete world.provider.behaviour.before
      expect((await openBrowser().signIn(world.origin)).status).toBe(303)
    },
  )

  it.each(steps)('%s of a megabyte is not read to its end', async (step) => {
    world.provider.behaviour.before = (path, response) => {
      if (path !== step) return false
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'y'.repeat(1_048_576)}"}`)
      return true
    }
    expect((await openBrowser().signIn(world.origin)).status).toBe(503)
  })

  it.each(steps)('%s that redirects is not followed', async (step) => {
    world.provider.behaviour.before = (path, response) => {
      if (path !== step) return false
      response.writeHead(307, { location: `${world.provider.origin}/elsewhere` }).end()
      return true
    }
    expect((await openBrowser().signIn(world.origin)).status).toBeGreaterThanOrEqual(502)
    expect(world.provider.seen.map(({ url }) => url)).not.toContain('/elsewhere')
  })
})

it('a provider that hangs is waited for ten seconds, once for all who ask meanwhile', async () => {
  let asked = 0
  world.provider.behaviour.before = (path) => {
    if (path === '/.well-known/openid-configuration') asked += 1
    return true
  }
  const began = performance.now()
  const pages = await Promise.all([1, 2, 3, 4].map(async () => openBrowser().open(`${world.origin}/login`)))
  expect(pages.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  // Twice would be twenty.
  expect(performance.now() - began).toBeLessThan(18_000)
  expect(asked).toBe(1)
})

describe('the egress rules', () => {
  it('keep an issuer on a private address out, unless the operator lists it', async () => {
    const lines: string[] = []
    const pack = await createPack({
      log: (_level, event, fields) => void lines.push(JSON.stringify([event, fields])),
      publicUrl: 'http://127.0.0.1:8750',
      login: { issuer: world.provider.origin, ...clientOf, domains: ['example.org'] },
    })
    await expect(pack.login!.begin('/console/')).rejects.toMatchObject({ code: 'unavailable' })
    expect(lines).toContainEqual(expect.stringMatching(/login\.issuer.*TOOLYARD_PRIVATE_ORIGINS/))
    await pack.close()
    expect(world.provider.seen).toEqual([])
  })

  it.each(['token_endpoint', 'jwks_uri'])('also guard the %s that its document names', async (name) => {
    world.provider.behaviour.document = (document) => ({ ...document, [name]: 'http://169.254.169.254/latest' })
    const page = await openBrowser().signIn(world.origin)
    expect(page.status).toBe(503)
    expect(world.events('login.provider_away').at(-1)).toMatchObject({
      reason: expect.stringContaining('login.issuer'),
    })
    expect(page.cookies.some((line) => line.includes('=tys_'))).toBe(false)
  })
})

it('a document of another issuer signs nobody in', async () => {
  world.provider.behaviour.document = (document) => ({ ...document, issuer: 'https://evil.example' })
  expect((await openBrowser().open(`${world.origin}/login`)).status).toBe(503)
})

describe('the check before a start', () => {
  const settings = () => ({ issuer: world.provider.origin, ...clientOf, domains: ['example.org'] })
  const rules = () => ({ privateOrigins: [world.provider.origin] })

  it('reads the discovery document, and tells what is wrong from what may pass', async () => {
    expect(await checkLoginProvider(settings(), rules())).toBe(`${world.provider.origin}/authorize`)
    await expect(checkLoginProvider(settings(), {})).rejects.toMatchObject({ code: 'not_allowed' })
    world.provider.behaviour.document = (document) => ({ ...document, issuer: 'https://evil.example' })
    await expect(checkLoginProvider(settings(), rules())).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('TOOLYARD_LOGIN'),
    })
    world.provider.behaviour.before = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    await expect(checkLoginProvider(settings(), rules())).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('a file that is not usable is named with its field, and the secret in it is not repeated', async () => {
    const file = join(tmpdir(), `toolyard-login-${process.pid}.json`)
    for (const text of [
      `{ "clientSecret": "tops3cret" "x" }`,
      JSON.stringify({ ...settings(), clientSecret: 'tops3cret', domain: 'x' }),
      JSON.stringify({ ...settings(), clientSecret: ['tops3cret'] }),
    ]) {
      await writeFile(file, text)
      const thrown = await readLoginFile(file).catch((error: unknown) => error as Error)
      expect((thrown as Error).message).toContain(`TOOLYARD_LOGIN names ${file}`)
      expect((thrown as Error).message).not.toContain('s3cret')
    }
  })
})
