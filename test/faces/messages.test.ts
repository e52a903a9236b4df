import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readWireFile } from '../../shared/settings-files.ts'
import { refusedPage } from '../../shared/faces/http/connect/pages.ts'
import { fail, toFailureJson } from '../../shared/kit/index.ts'
import { checkWire } from '../../shared/pack.ts'
import { makeCertificates } from '../faults/certificate.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import { linesOver } from '../support/command-line.ts'

let data: string
let list: string
let board: string
const face = await openHttpWorld()
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'toolyard-messages-'))
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put({ tenant: 'default' }, 'work-board', { key, secret: appSecret })
  const place = await firstList(face)
  list = place.list.id
  board = place.board.id
})
afterAll(async () => {
  await rm(data, { recursive: true })
})

const lines = linesOver(face, { self: 'npx toolyard' })
/** What a command line says on standard error, over the running server. */
const command = async (argv: string[], env: Record<string, string> = {}) =>
  (await lines.command(argv, 'remote', { env })).err
const createCard = (...fields: string[]) =>
  command(['run', 'work-board', 'create-card', ...fields.flatMap((field) => ['-f', field])])
const nowhere = '6953b70ac000000000000fff'
const emoji = '\u{1F600}'

describe('a message names field, cause and remedy', () => {
  const rows: [what: string, provoke: () => Promise<string>, says: RegExp][] = [
    [
      'an unknown list id',
      () => createCard(`idList=${nowhere}`, 'name=Tiles'),
      /"idList" \("6953b70ac000000000000fff"\), or the account cannot see it\. .*\n[^]*Choices: npx toolyard options work-board create-card idList\n$/,
    ],
    [
      'an unknown card id',
      () => command(['run', 'work-board', 'get-card', '-f', `idCard=${nowhere}`]),
      /does not know the value of "idCard" \("6953/,
    ],
    [
      'an unknown board to watch',
      () =>
        command(['subscribe', 'work-board', 'card-moved', '-f', `boards=${nowhere}`, '--agent', 'https://a.example']),
      /"boards" \("6953/,
    ],
    [
      'a day that does not exist',
      () => createCard(`idList=${list}`, 'name=Tiles', 'due=2026-02-30T10:00:00Z'),
      /"due": February 2026 has no day 30\. Give date, time and zone/,
    ],
    [
      'a month that does not exist',
      () => createCard(`idList=${list}`, 'name=Tiles', 'due=2026-13-01T10:00:00Z'),
      /"due": There is no month 13\./,
    ],
    [
      'a date without its time',
      () => createCard(`idList=${list}`, 'name=Tiles', 'due=2026-02-03'),
      /"due": "2026-02-03" is not a full ISO 8601 date with time and zone/,
    ],
    [
      "a text too long in the board's count",
      () => createCard(`idList=${list}`, `name=${emoji.repeat(10_000)}`),
      /"name": .* is 20000 characters long as the board counts them, an emoji as two or more; the board takes at most 16384/,
    ],
    [
      'a wrong key on first connect',
      async () => {
        const secrets = { ...secretsOf(face.sandbox), token: 'f'.repeat(64) }
        return (
          await face.ask('/v1/connections', {
            body: { integration: 'work-board', type: 'key-token', name: 'Wrong', secrets },
          })
        ).text
      },
      /The provider refused this .* \(it answered 401\)\. Nothing was stored\. Check it and try again: Copy the API key/,
    ],
    [
      'connect without a server',
      () =>
        command(['connect', 'work-board'], { TOOLYARD_URL: undefined as never, TOOLYARD_TOKEN: undefined as never }),
      /Connecting in the browser needs a running server\. Start one with: npx toolyard serve/,
    ],
    [
      'a server behind an unknown certificate authority',
      async () => {
        const { good } = makeCertificates('localhost')
        const server = createServer(good).listen(0, '127.0.0.1')
        await new Promise((listening) => server.once('listening', listening))
        const said = await command(['runs'], {
          TOOLYARD_URL: `https://localhost:${(server.address() as AddressInfo).port}`,
        })
        server.close()
        return said
      },
      /signed by an unknown authority \(\w+\)\. Set NODE_EXTRA_CA_CERTS=<file\.pem> to the certificate of that authority/,
    ],
    [
      'a port that is none',
      () => command(['subscribe', 'work-board', 'card-moved', '-f', `boards=${board}`, '--watch', '--port', 'x']),
      /--port takes a number from 0/,
    ],
    [
      'an agent that may not be called',
      () => command(['subscribe', 'work-board', 'card-moved', '-f', `boards=${board}`, '--agent', 'http://10.0.0.1/x']),
      /--agent .*TOOLYARD_AGENT_ORIGINS/,
    ],
    [
      'a start in the future',
      () =>
        command([
          'subscribe',
          'work-board',
          'card-moved',
          '-f',
          `boards=${board}`,
          '--agent',
          'https://a.example',
          '--start-from',
          '2999-01-01',
        ]),
      /--start-from lies in the future/,
    ],
    [
      'several accounts',
      async () => {
        await face.pack.connections.create(
          { tenant: 'default' },
          { integration: 'work-board', type: 'key-token', name: 'Second', secrets: secretsOf(face.sandbox) },
        )
        return command(['run', 'work-board', 'get-boards', '-c', 'Nobody'])
      },
      /"Nobody".*"Board"/,
    ],
  ]
  it.each(rows)('%s', async (_what, provoke, says) => {
    expect(await provoke()).toMatch(says)
  })

  it('over HTTP a field that holds an unknown id is named by its pointer', async () => {
    const { status, json } = await face.ask('/v1/steps/work-board/create-card/run', {
      body: { input: { idList: nowhere, name: 'Tiles' }, connection: 'Board' },
    })
    expect([status, json.code, json.errors]).toMatchObject([404, 'not_found', [{ pointer: '/idList' }]])
  })
})

describe('a page for account owners', () => {
  const frame = { root: '' }
  it.each([
    fail(
      'wire_unset',
      'The provider documents do not show this address. The operator sets "wire.work-board.oauth.v2".',
    ),
    fail('conflict', 'No app is set up to connect with. Set its key and secret first: PUT /v1/apps/work-board.'),
    fail(
      'not_allowed',
      'The address set in "wire.work-board.baseUrl" is not https. List its origin in TOOLYARD_PRIVATE_ORIGINS.',
    ),
  ])('names no setting of the operator, but whom to tell (%#)', (failure) => {
    const page = refusedPage('failed', { title: 'Work board', failure: toFailureJson(failure), returnTo: null }, frame)
    expect(page).toMatch(/Ask its operator, and say which account you wanted to connect/)
    expect(page).not.toMatch(/wire\.|TOOLYARD_|\/v1\//)
  })

  it('shows what the owner can do something about as it is', () => {
    const failure = toFailureJson(fail('not_connected', 'The provider refused this API key (it answered 401).'))
    expect(refusedPage('failed', { title: 'Work board', failure, returnTo: null }, frame)).toContain(
      'refused this API key',
    )
  })
})

describe('an unknown wire setting', () => {
  const wrong: [override: object, says: RegExp][] = [
    [
      { oauth: { v1: { accessUrl: 'https://board.example/token' } } },
      /wire\.work-board\.oauth\.v1\.accessUrl".*no such setting\..* Known here: .*tokenUrl/,
    ],
    [{ timeouts: { totalMS: 5 } }, /timeouts\.totalMS".*Did you mean "totalMs"\? Known here: totalMs, /],
    [
      { pace: { limits: [{ per: 'connection', maximum: 3, windowMs: 10 }] } },
      /pace\.limits\.0\.maximum".*Did you mean "max"\?/,
    ],
    [
      { baseURL: 'https://board.example' },
      /wire\.work-board\.baseURL".*Did you mean "baseUrl"\? Known here: baseUrl, /,
    ],
  ]
  it.each(wrong)('%j is answered with the known ones, the nearest first', async (override, says) => {
    const file = join(data, 'wire.json')
    await writeFile(file, JSON.stringify({ 'work-board': override }))
    const overrides = await readWireFile(file)
    expect(() => checkWire(overrides)).toThrow(says)
  })
})
