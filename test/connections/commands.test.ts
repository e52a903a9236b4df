import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { start, toolyard } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { decide } from './provider-pages.ts'

/** The operator's commands as the documents show them, beside a running server. */
let directory: string
let server: Started
let address: string
let admin: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolyard-commands-'))
  server = start(['serve', '--sandbox'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0' })
  await server.printed('Try:')
  address = /Address +(\S+)/.exec(server.out())![1]!
  admin = (await readFile(join(directory, 'sandbox', 'token'), 'utf8')).trim()
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended
  await rm(directory, { recursive: true, force: true })
})
const command = (...args: string[]) => toolyard(args, { TOOLYARD_DATA: directory })
const ask = async (path: string, token = admin) => {
  const reply = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } })
  return { status: reply.status, json: (await reply.json()) as any }
}

it('connect prints a link, waits, and says what was connected', async () => {
  const waiting = start(['connect', 'work-board', '--type', 'oauth', '--name', 'By command'], {
    TOOLYARD_DATA: directory,
  })
  const printed = () => /http:\/\/\S+\/connect\/\S+\n/.exec(waiting.err())?.[0].trim()
  await expect.poll(printed).toBeDefined()
  const link = printed()!
  const opened = await fetch(link)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  // The page says for whom the account is; its button leads on.
  const left = await fetch(link, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ leave: 'yes' }),
    redirect: 'manual',
  })
  const returned = await decide(left.headers.get('location')!, 'allow')
  expect((await fetch(returned, { headers: { cookie } })).status).toBe(200)
  const ended = await waiting.ended
  expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/^Connected: "By command" \(con_[\w-]+\)\.\n$/)])
})

it('connect --no-wait prints the link alone', async () => {
  const { code, out } = await command('connect', 'anz-data', '--no-wait')
  expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${address}/connect/[\\w-]{43}\\n$`))])
  expect((await command('connect', 'nothing')).code).not.toBe(0)
})

it('tenants and tokens: added, bound to a step and an account, shown once, revoked at once', async () => {
  expect((await command('tenants', 'add', 'Blue Ltd', '--id', 'blue')).code).toBe(0)
  expect((await command('tenants', 'add', 'Blue Ltd', '--id', 'blue')).code).not.toBe(0)
  expect((await command('tenants')).out).toMatch(/blue .*Blue Ltd/)
  const [account] = (await ask('/v1/connections?integration=work-board')).json.items
  const added = await command(
    'tokens',
    'add',
    'CRM agent',
    '-s',
    'run',
    '--step',
    'work-board/get-boards',
    '-c',
    account.id,
  )
  const text = added.out.trim()
  expect(text).toMatch(/^ty_[\w-]{32}$/)
  const run = (step: string, connection?: string) =>
    fetch(`${address}/v1/steps/work-board/${step}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: {}, connection }),
    }).then(({ status }) => status)
  expect([await run('get-boards'), await run('get-boards', 'Sandbox board'), await run('api-call')]).toEqual([
    200,
    account.name === 'Sandbox board' ? 200 : 404,
    403,
  ])
  const listed = JSON.parse((await command('tokens', '--json')).out) as { id: string; name: string }[]
  expect(JSON.stringify(listed)).not.toContain(text)
  const { id } = listed.find(({ name }) => name === 'CRM agent')!
  expect((await command('tokens', 'revoke', id)).code).toBe(0)
  expect(await run('get-boards')).toBe(401)
  expect((await command('tokens', 'revoke', 'tok_none')).code).not.toBe(0)
  const forBlue = (await command('tokens', 'add', 'Reader', '-t', 'blue', '-s', 'read')).out.trim()
  expect((await ask('/v1/connections', forBlue)).json.items).toEqual([])
})

it('keys are shown and rotated through the running server', async () => {
  const before = JSON.parse((await command('keys', '--json')).out) as { present: string }
  const rotated = await command('keys', 'rotate')
  expect([rotated.code, rotated.out]).toEqual([
    0,
    expect.stringContaining(`Needed only for existing backups: ${before.present}.`),
  ])
  const after = JSON.parse((await command('keys', '--json')).out) as { present: string; previous: string[] }
  expect([after.present === before.present, after.previous]).toEqual([false, []])
  expect((await ask('/v1/admin/audit?limit=1')).json.items).toMatchObject([
    { path: 'keys.rotate', keyId: after.present },
  ])
})
