/** Apps at providers: their secrets come from a file or from standard input, and are never printed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { failures } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { runLine } from '../support/command-line.ts'
import { chat } from '../triggers/app-chat.ts'

const secret = 'secret-of-the-app-0123'
const publicUrl = 'https://pack.example'
let folder: string
let pack: Pack
const open = (options: { publicUrl?: string } = { publicUrl }) =>
  createPack({ integrations: [chat], onStart: async () => {}, ...options })
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolyard-apps-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  pack = await open()
})
afterEach(() => pack.close())

const toolyard = (argv: string[], stdin = '') => runLine(['apps', ...argv], { pack, stdin })
const appJson = (more: object = {}) => JSON.stringify({ key: 'app-key', secret, owner: 'operator', ...more })
const addressIn = (text: string) => /https:\/\/pack\.example\/hooks\/chat\/[\w-]{32}/.exec(text)?.[0]

test('an app is set from standard input or a file; the answer says what to do with its address', async () => {
  const set = await toolyard(['set', 'chat', '-'], appJson())
  expect([set.code, set.err]).toEqual([0, ''])
  expect(set.out).toMatch(/^app +app-key of chat$/m)
  expect(set.out).toMatch(/^set for +every tenant without an app of its own$/m)
  expect(set.out).toContain('Enter this address at the provider')
  const address = addressIn(set.out)
  expect(address).toBeDefined()
  const file = join(folder, 'app.json')
  await writeFile(file, appJson({ key: 'other-key' }))
  const again = JSON.parse((await toolyard(['set', 'chat', file, '--json'])).out)
  expect(again).toMatchObject({ key: 'other-key', owner: 'operator', deliveriesTo: address })
})

test('one app is shown with its address, and the list has it too', async () => {
  await toolyard(['set', 'chat', '-'], appJson())
  const shown = await toolyard(['show', 'chat'])
  const listed = await toolyard([])
  expect(addressIn(listed.out)).toBeDefined()
  expect(addressIn(shown.out)).toBe(addressIn(listed.out))
  expect(shown.out).toContain('secrets        current …0123')
  expect(listed.out).toMatch(/^integration +key +secrets +set for +deliveries to$/m)
})

test('no output has a secret, whatever is wrong with the input', async () => {
  const cut = `{"key":"app-key","secret":"${secret}`
  const lines = await Promise.all([
    toolyard(['set', 'chat', '-'], appJson()),
    toolyard(['show', 'chat', '--json']),
    toolyard(['set', 'chat', '-'], cut),
    toolyard(['set', 'chat', '-'], JSON.stringify([secret])),
    toolyard(['set', 'chat', '-'], appJson({ secrets: secret })),
    toolyard(['set', 'chat', appJson()]),
  ])
  for (const { out, err } of lines) expect(out + err).not.toContain(secret.slice(0, 10))
  expect(lines.map(({ code }) => code)).toEqual([0, 0, ...Array.from({ length: 4 }, () => failures.invalid_input.exit)])
  expect(lines[2]!.err).toContain('standard input is not a JSON object')
  expect(lines[4]!.err).toContain('secrets')
  expect(lines[5]!.err).toContain('other programs can read a command line')
})

test('fields of the input cannot name another integration than the command line', async () => {
  await toolyard(['set', 'chat', '-'], appJson({ integration: 'board' }))
  expect(JSON.parse((await toolyard(['show', 'chat', '--json'])).out).key).toBe('app-key')
})

test('what is not set says how to set it, and a server without a public address says why there is none', async () => {
  expect((await toolyard([])).out).toContain('No app is set')
  expect((await toolyard(['show', 'chat'])).out).toContain('toolyard apps set chat <file>')
  expect((await toolyard(['show', 'nothing'])).code).toBe(failures.not_found.exit)
  const unread = await toolyard(['set', 'chat', join(folder, 'none.json'), '--json'])
  expect(JSON.parse(unread.err)).toMatchObject({
    errors: [{ pointer: '/file', message: expect.stringContaining('cannot be read (ENOENT)') }],
  })
  await pack.close()
  pack = await open({})
  expect((await toolyard(['set', 'chat', '-'], appJson())).out).toContain('Set TOOLYARD_PUBLIC_URL')
})
