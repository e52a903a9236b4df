/** The connect pages in English and German; test/e2e/connect.test.ts shows them in a browser. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { choosePage, donePage, formPage, leavePage, refusedPage } from '../../shared/faces/http/connect/pages.ts'
import { german } from '../../shared/faces/http/connect/texts/de.ts'
import { english } from '../../shared/faces/http/connect/texts/en.ts'
import type { Texts } from '../../shared/faces/http/connect/texts/en.ts'
import type { Refusal } from '../../shared/runtime/connections/browser/types.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { connectByOAuth, openOAuthWorld } from '../support/oauth-world.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
const openFace = async () => {
  const face = await openHttpWorld({ publicUrl: 'http://tools.example.org' })
  closers.push(() => face.close())
  return face
}

/** Opens a link, and posts the forms of its page. */
const openLink = async (face: HttpWorld, link: object, acceptLanguage?: string) => {
  const { json } = await face.ask('/v1/connections/authorize', { body: link })
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const page = await face.ask(`/connect/${json.state}`, { headers })
  const cookie = String(page.headers['set-cookie']).split(';')[0]!
  const post = (fields: Record<string, string>) =>
    face.ask(`/connect/${json.state}`, {
      raw: new URLSearchParams(fields).toString(),
      headers: { ...headers, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
  return { page, post }
}
const languageOf = ({ text, headers }: { text: string; headers: Record<string, unknown> }) => {
  expect(headers['content-language']).toBe(/<html lang="([\w-]+)">/.exec(text)?.[1])
  return headers['content-language']
}
const keyToken = { integration: 'work-board', type: 'key-token' }

describe('the language of a page', () => {
  it.each<[link: string | undefined, browser: string | undefined, page: string]>([
    ['de', undefined, 'de'],
    ['de-AT', 'en', 'de'],
    ['en', 'de', 'en'],
    ['fr', 'de', 'en'],
    [undefined, 'de-CH, en;q=0.5', 'de'],
    [undefined, 'fr, de;q=0.3, en;q=0.2', 'de'],
    [undefined, 'fr, *', 'en'],
    [undefined, undefined, 'en'],
  ])('with a link for %s in a browser for %s is %s', async (locale, acceptLanguage, expected) => {
    const face = await openFace()
    const { page } = await openLink(face, { ...keyToken, locale }, acceptLanguage)
    expect(languageOf(page)).toBe(expected)
    expect(page.text).toContain(expected === 'de' ? 'Work board verbinden' : 'Connect Work board')
  })

  it('stays that of the link to the end', async () => {
    const face = await openFace()
    const { page, post } = await openLink(face, { ...keyToken, locale: 'de' }, 'en')
    const { key, token } = face.sandbox.board.credentials
    expect(page.text).toContain('API-Schlüssel aus der Power-Up-Verwaltung')
    const refused = await post({ key, token: 'ATTAnot-the-right-one-0123456789' })
    expect(refused.text).toContain('nicht angenommen: API-Schlüssel und Token.')
    const incomplete = await post({ key, token: '' })
    expect(incomplete.text).toContain('nicht die erwartete Form: Token.')
    const done = await post({ key, token })
    expect([refused, incomplete, done].map(languageOf)).toEqual(['de', 'de', 'de'])
    expect(done.text).toContain('Verbunden und geprüft')
    // The link is used up, and with it what it asked for.
    expect(languageOf(await post({ key, token }))).toBe('en')
  })

  it('is kept through the page of a provider', async () => {
    const world = await openOAuthWorld()
    closers.push(world.close)
    const { page } = await connectByOAuth(world, { locale: 'de' }, { decision: 'deny' })
    expect(page).toMatchObject({ refusal: 'denied', locale: 'de' })
    expect((await connectByOAuth(world, { locale: 'de' })).page).toMatchObject({ kind: 'done', locale: 'de' })
  })

  it('is that of the browser where no link says more', async () => {
    const face = await openFace()
    const ask = (url: string) => face.ask(url, { headers: { 'accept-language': 'de' } })
    const expired = await ask('/connect/nothing')
    expect([languageOf(expired), expired.status]).toEqual(['de', 410])
    expect(expired.text).toContain('schon benutzt oder ist abgelaufen')
    expect(languageOf(await ask('/v1/oauth/work-board/callback'))).toBe('de')
  })

  it('refuses what is no language', async () => {
    const face = await openFace()
    const { status, json } = await face.ask('/v1/connections/authorize', { body: { ...keyToken, locale: 'a b' } })
    expect([status, json.errors]).toMatchObject([400, [{ pointer: '/locale' }]])
  })
})

/** Values of a page without a letter, so that every letter on it is a text of ours. */
const field = (name: string) => ({ name, title: '1', description: '2', value: '3' })
const request = { workspace: '4', requester: '5' }
const problem = (code: string) =>
  ({ code, message: '6', providerMessage: '7', retryable: false, actor: 'caller' }) as never
const form = {
  integration: '8',
  title: '9',
  typeTitle: '10',
  purpose: '11',
  help: '12',
  fields: [field('a'), field('b')],
  profiles: [{ name: '13', title: '14', isChosen: false }],
  authorizeUrl: undefined,
  reconnects: null,
  problem: null,
  ...request,
}
const leave = { title: '9', purpose: '11', reconnects: null, account: null, to: '15', address: null, problem: null }
const connection = (state: string) => ({ id: '16', name: '17', state, account: null }) as never
const done = { title: '9', workspace: '4', reconnected: false, returnTo: null }
const refusals = Object.keys(english.refusals) as Refusal[]

const pagesWith = (texts: Texts): string[] => {
  const frame = { root: '', texts }
  return [
    formPage(form, frame),
    formPage({ ...form, reconnects: '18', requester: null, problem: problem('not_connected') }, frame),
    formPage({ ...form, authorizeUrl: null, problem: problem('unreachable') }, frame),
    formPage({ ...form, authorizeUrl: '19', problem: problem('wire_unset') }, frame),
    leavePage({ ...leave, ...request }, frame),
    leavePage({ ...leave, ...request, requester: null, reconnects: '18', account: '20', address: field('a') }, frame),
    choosePage({ choices: [{ value: '21', title: '9', typeTitle: '10', purpose: '11' }], ...request }, frame),
    ...['connected', 'unverified', 'disabled'].map((state) =>
      donePage({ ...done, connection: connection(state) }, frame),
    ),
    donePage({ ...done, connection: connection('connected'), reconnected: true, returnTo: '/' }, frame),
    ...refusals.map((refusal) => refusedPage(refusal, { title: '9', failure: null, returnTo: '/' }, frame)),
    refusedPage('failed', { title: null, failure: problem('unreachable'), returnTo: null }, frame),
  ]
}

/** The same texts with every one changed by `change`. */
const mapTexts = (texts: object, change: (text: string) => string): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]: [string, unknown]) => [
      name,
      typeof text === 'string'
        ? change(text)
        : typeof text === 'function'
          ? (...values: unknown[]) => change(String(text(...values)))
          : mapTexts(text as object, change),
    ]),
  ) as unknown as Texts
const visible = (page: string) =>
  page.replace(/^[\s\S]*?<title>/, '').replaceAll(/<header[\s\S]*?<\/header>|<[^>]*>/g, ' ')

describe('the texts', () => {
  it('hold every sentence of the pages', () => {
    const marked = { ...mapTexts(english, (text) => `⟦${text}⟧`), locale: 'en' }
    const outside = pagesWith(marked).map((page) => visible(page).replaceAll(/⟦[^⟧]*⟧/g, ' '))
    expect(outside.flatMap((text) => text.match(/\p{L}[^<]*/u) ?? [])).toEqual([])
    // The check sees a text that is not among them.
    expect(visible(pagesWith(english)[0]!)).toMatch(/\p{L}/u)
  })

  it('are all translated', () => {
    const texts = (language: Texts) => {
      const all = new Set<string>()
      const { locale: _, ...ofPages } = language
      pagesWith(mapTexts({ ...ofPages, locale: 'en' }, (text) => (all.add(text), text)))
      return [...all]
    }
    const untranslated = new Set(texts(english))
    expect(texts(german).filter((text) => untranslated.has(text) && text !== 'Name' && text !== 'en')).toEqual([])
    expect(texts(german).length).toBeGreaterThan(60)
  })

  it('name German failures by what to do, and the operator as before', () => {
    const page = refusedPage(
      'failed',
      { title: 'Work board', failure: problem('wire_unset'), returnTo: null },
      { root: '', texts: german },
    )
    expect(page).toContain('unerwarteter Fehler')
    const unset = { code: 'wire_unset', message: 'Set TOOLYARD_X.', retryable: false, actor: 'operator' } as never
    expect(refusedPage('failed', { title: 'x', failure: unset, returnTo: null }, { root: '', texts: german })).toMatch(
      /noch nicht eingerichtet/,
    )
  })
})

describe('texts of integrations', () => {
  const read = (locale: string) =>
    JSON.parse(readFileSync(new URL(`../../manifests/locales/${locale}.json`, import.meta.url), 'utf8')) as object
  const shown = /^([^.]+)\.connections\.[^.]+\.(title|purpose|help|fields\..+)$/
  const englishKeys = Object.keys(read('en')).filter((key) => shown.test(key))
  const germanKeys = new Set(Object.keys(read('de')))

  it.each(['work-board', 'anz-data', 'contact-data'])('%s has those of its connect pages in German', (id) => {
    const ofIntegration = englishKeys.filter((key) => shown.exec(key)![1] === id)
    expect(ofIntegration.length).toBeGreaterThanOrEqual(5)
    expect(ofIntegration.filter((key) => !germanKeys.has(key))).toEqual([])
  })

  it('that are translated in part are missing in no other place of the page', () => {
    const begun = new Set([...germanKeys].flatMap((key) => shown.exec(key)?.[1] ?? []))
    expect(englishKeys.filter((key) => begun.has(shown.exec(key)![1]!) && !germanKeys.has(key))).toEqual([])
  })
})
