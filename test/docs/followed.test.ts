import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decide } from '../connections/provider-pages.ts'
import { blockOf, blocksOf } from './pages.ts'
import type { Block } from './pages.ts'
import { commandsOf, hasAsWritten, isAsWritten, openReader } from './reader.ts'
import type { Reader, Running } from './reader.ts'

/**
 * Each page, followed literally from top to bottom by a reader who ran `npm ci && npm start`. A block named `try:NAME`
 * is followed as `named` says, or by another test (`followedBy` says which); every other one as its language says.
 */
type Page = { reader: Reader; server: Running }
type Follow = (page: Page, text: string) => Promise<void>

const isFailure = (out: string) => out.includes('"type":"urn:toolyard:failure:')
const example = '695b70ac0000000000000008'

const sh: Follow = async ({ reader }, text) => {
  const { code, out, err } = await reader.run(text)
  expect([code, isFailure(out)], `${text}\n${out}${err}`).toEqual([0, false])
}

const answered = async ({ reader }: Page, text: string, answer: string) => {
  const { code, out, err } = await reader.run(text)
  expect(code, err).toBe(0)
  expect(hasAsWritten(JSON.parse(out), JSON.parse(answer)), `${out}\nis not\n${answer}`).toBe(true)
}

/** A command that prints nothing to standard output is shown being refused. */
const console: Follow = async ({ reader }, text) => {
  for (const { command, shown } of commandsOf(text)) {
    const { code, out, err } = await reader.run(command)
    const isRefused = out.trim() === ''
    expect(code === 0, `${command}\n${err}`).toBe(!isRefused)
    expect(isAsWritten(isRefused ? err : out, shown), `${command}\nprinted\n${out}${err}\nand not\n${shown}`).toBe(true)
  }
}

/**
 * A command that waits: sees its first lines, makes the thing happen, sees the last line and ends the command as Ctrl-C
 * does.
 */
const waiting = async (
  { reader }: Page,
  text: string,
  first: string,
  happens: (running: Running) => Promise<unknown>,
  last: string,
) => {
  const [{ command, shown } = { command: '', shown: '' }] = commandsOf(text)
  const running = reader.start(command)
  await reader.printed(running, first)
  await happens(running)
  await reader.printed(running, last)
  const printed = running.all()
  await reader.stop(running)
  // Times and keys are others each time, and the regular reading of the history may come before the delivery.
  const pattern = shown.replaceAll(/\d\d:\d\d:\d\d|[0-9a-f]{12}…/g, '…')
  const seen = printed.replace(', recovery, start ', ', webhook, start ')
  expect(isAsWritten(seen, pattern), `${command}\nprinted\n${printed}\nand not\n${pattern}`).toBe(true)
}

/** Names in `shown` that `actual` lacks. */
const missingNames = (actual: unknown, shown: unknown, at = ''): string[] =>
  typeof shown !== 'object' || shown === null || Array.isArray(shown)
    ? []
    : Object.entries(shown).flatMap(([name, below]) => {
        if (name === '…') return []
        const has = actual as { [name: string]: unknown } | null | undefined
        return has?.[name] === undefined ? [`${at}/${name}`] : missingNames(has[name], below, `${at}/${name}`)
      })

/** The person at the provider opens the link and chooses "Allow". */
const allow = async (link: string) => {
  const opened = await fetch(link)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const left = await fetch(link, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ leave: 'yes' }),
    redirect: 'manual',
  })
  const returned = await decide(left.headers.get('location')!, 'allow')
  expect((await fetch(returned, { headers: { cookie } })).status).toBe(200)
}

const named: { [name: string]: Follow } = {
  // Followed for every page, before its first block.
  start: async () => {},
  greeting: async ({ server }, text) => {
    // On a terminal it shows the token and a link that signs in; here it says where they are.
    const shown = text
      .replace(/ty_… \(saved in (.+)\)/, 'in $1')
      .replace(/#code=….*/, ' ("… console" prints a link that signs you in)')
    const greeting = server.out().slice(server.out().indexOf('toolyard '))
    expect(isAsWritten(greeting, shown), `${greeting}\nis not\n${shown}`).toBe(true)
  },
  watch: async (page, text) => {
    const line = /^curl .*_control\/comment.*$/m.exec(page.server.out())?.[0]
    await waiting(page, text, '(sub_', () => sh(page, page.reader.here(line!)), 'Odette Quill')
  },
  'watch-moves': (page, text) => waiting(page, text, '(sub_', () => sh(page, blockOf('move')), 'Odette Quill'),
  // Followed with the one before.
  move: async () => {},
  'start-body': async (page, text) => {
    const { reader } = page
    const watching = reader.start(
      `npx toolyard subscribe work-board card-moved -f boards=${example} --watch --count 1 --json`,
    )
    await reader.printed(watching, '(sub_')
    await sh(
      page,
      blockOf('move').replace('"idList":"695b70ac0000000000000015"', '"idList":"695b70ac0000000000000013"'),
    )
    const { code, out, err } = await watching.ended
    expect(code, err).toBe(0)
    expect(missingNames(JSON.parse(out), JSON.parse(text)), out).toEqual([])
  },
  verify: async ({ reader }, text) => {
    const lines = [
      "import { Webhook as Signer } from 'standardwebhooks'",
      "const secret = process.env.AGENT_SECRET = 'whsec_' + Buffer.alloc(32, 7).toString('base64')",
      `const rawBody = '{"type":"work-board.card-moved"}', at = new Date()`,
      "const headers = { 'webhook-id': 'key', 'webhook-timestamp': String(Math.floor(at / 1000)), 'webhook-signature': new Signer(secret).sign('key', at, rawBody) }",
      'const request = { headers }',
      text,
      'console.log(start.type)',
    ]
    await writeFile(join(reader.directory, 'verify.mjs'), lines.join('\n'))
    const { out, err } = await reader.run('ln -s "$ROOT/node_modules" node_modules; "$NODE" verify.mjs')
    expect([out.trim(), err]).toEqual(['work-board.card-moved', ''])
  },
  connect: async (page, text) => {
    const link = (running: Running) => page.reader.here(/http:\/\/\S+\/connect\/\S+/.exec(running.all())![0])
    await waiting(page, text, '/connect/', (running) => allow(link(running)), 'Connected:')
  },
  policy: async (page, text) => {
    const id = `"$(npx toolyard connections --json | grep -o 'con_[0-9a-f-]*' | tail -1)"`
    const call = (method: string, curlArguments: string) =>
      `curl -s -X ${method} $TOOLYARD_URL/v1/connections/${id} -H "Authorization: Bearer $TOOLYARD_TOKEN" -H 'Content-Type: application/json' ${curlArguments}`
    const { policy } = JSON.parse(text) as { policy: object }
    await answered(page, call('PATCH', `-d '${text}'`), JSON.stringify({ policy: { ...policy, '…': '…' }, '…': '…' }))
    await sh(page, call('PATCH', `-d '{"policy":null}'`))
  },
  // The block above it is its file.
  wire: ({ reader }, text) => writeFile(join(reader.directory, 'wire.json'), text),
  'serve-wire': async ({ reader }, text) => {
    const server = reader.start(`export TOOLYARD_DATA=$PWD/wire-data; ${text}`)
    await reader.printed(server, 'Ctrl-C stops it')
    expect((await reader.stop(server, 'SIGTERM')).err).not.toContain('wire setting')
  },
  'wire-oauth': async (page, text) => {
    await writeFile(join(page.reader.directory, 'oauth.json'), text)
    await sh(page, 'TOOLYARD_DATA=$PWD/none TOOLYARD_WIRE=oauth.json npx toolyard doctor | grep "ok     settings"')
  },
  profiles: async ({ reader }, text) => {
    const server = reader.start(`export TOOLYARD_DATA=$PWD/profiles; ${text}`)
    await reader.printed(server, 'Ctrl-C stops it')
    await reader.stop(server, 'SIGTERM')
  },
  'profile-override': async (page, text) => {
    await writeFile(join(page.reader.directory, 'profile.json'), text)
    await sh(page, 'TOOLYARD_DATA=$PWD/none TOOLYARD_WIRE=profile.json npx toolyard doctor | grep "ok     settings"')
  },
  // Stays until the reader is done: the check after it asks this server.
  'profiles-sandbox': async ({ reader }, text) => {
    await reader.printed(reader.start(`export TOOLYARD_DATA=$PWD/profiles-sandbox; ${text}`), 'Try:')
  },
  'wire-check': async ({ reader }, text) => {
    const { command, shown } = commandsOf(text)[0]!
    const { out, err } = await reader.run(`TOOLYARD_DATA=$PWD/profiles-sandbox; export TOOLYARD_DATA; ${command}`)
    expect(isAsWritten(out, shown), `${out}${err}\nand not\n${shown}`).toBe(true)
  },
  limits: async (page, text) => {
    await writeFile(join(page.reader.directory, 'limits.json'), text)
    await sh(page, 'TOOLYARD_DATA=$PWD/none TOOLYARD_LIMITS=limits.json npx toolyard doctor | grep "ok     settings"')
  },
  'approval-rules': async (page, text) => {
    await writeFile(join(page.reader.directory, 'rules.json'), text)
    // The page has named a server by now, which doctor would ask instead.
    const doctor = 'TOOLYARD_DATA=$PWD/none TOOLYARD_APPROVAL_RULES=rules.json npx toolyard doctor'
    await sh(page, `(unset TOOLYARD_URL TOOLYARD_TOKEN; ${doctor}) | grep "ok     approval rules"`)
  },
  jwt: async (page, text) => {
    await writeFile(join(page.reader.directory, 'jwt.json'), text)
    await sh(page, 'TOOLYARD_DATA=$PWD/none TOOLYARD_JWT=jwt.json npx toolyard doctor | grep "ok     settings"')
  },
  login: async (page, text) => {
    await writeFile(join(page.reader.directory, 'login.json'), text)
    // The provider of the example does not exist.
    await sh(page, 'TOOLYARD_DATA=$PWD/none TOOLYARD_LOGIN=login.json npx toolyard doctor | grep "warn   sign-in"')
  },
  contract: async (page, text) => {
    const [written, contract] = text.split('\n')
    // As in the block, but nothing is written into the checkout.
    expect(written).toBe('npm run manifests && npm run docs')
    await sh(page, 'npm run manifests -- --check && npm run docs -- --check')
    await sh(page, contract!)
  },
}

const languages: { [language: string]: Follow } = { sh, console }

const follow = async (page: Page, { mark, language, text }: Block, answer: Block | undefined) => {
  if (answer !== undefined) return await answered(page, text, answer.text)
  const followBlock = mark?.startsWith('try:') ? named[mark.slice('try:'.length)] : languages[language]
  await followBlock!(page, text)
}

it.each([
  'README.md',
  'docs/approvals.md',
  'docs/authors.md',
  'docs/bulk.md',
  'docs/command-line.md',
  'docs/configuration.md',
  'docs/connecting.md',
  'docs/console.md',
  'docs/data-providers.md',
  'docs/files.md',
  'docs/http.md',
  'docs/nothing-started.md',
  'docs/operating.md',
  'docs/platforms.md',
  'docs/privacy.md',
  'docs/sign-in.md',
  'docs/steps.md',
  'docs/triggers.md',
])('%s can be followed literally', async (name) => {
  const reader = await openReader()
  try {
    const page = { reader, server: await reader.serve(blockOf('start')) }
    const blocks = blocksOf(name)
    for (const [at, block] of blocks.entries()) {
      const isOurs = block.mark === undefined ? block.language in languages : block.mark.replace('try:', '') in named
      if (!isOurs) continue
      const after = blocks[at + 1]
      await follow(page, block, after?.mark === 'answer' ? after : undefined)
    }
  } finally {
    await reader.close()
  }
})
