import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './pages.ts'

/** Addresses as the documents write them; a server under test has others. */
const written = {
  Address: 'http://127.0.0.1:8750',
  'Sandbox board': 'http://127.0.0.1:43533',
  'Sandbox ANZ': 'http://127.0.0.1:40657',
  'Sandbox contacts': 'http://127.0.0.1:37017',
}
const entry = join(root, 'shared', 'toolyard.js')

/**
 * What a reader has: `npx toolyard` without a registry, and `npm` for the checkout, as if this directory were one. What
 * is installed is not installed again.
 */
const prelude = `set -euo pipefail
npx() { shift; exec_toolyard "$@"; }
exec_toolyard() { "$NODE" "$ENTRY" "$@"; }
npm() {
  case "$1" in
    ci) ;;
    start) TOOLYARD_DATA="\${TOOLYARD_DATA-$PWD/.toolyard}" command npm --prefix "$ROOT" "$@" ;;
    *) command npm --prefix "$ROOT" "$@" ;;
  esac
}
[ ! -f "$STATE" ] || . "$STATE"
`
const epilogue = `
declare -p TOOLYARD_URL TOOLYARD_TOKEN METRICS "\${!SANDBOX_@}" 2>/dev/null > "$STATE" || true
`

export type Ran = { code: number | null; out: string; err: string }
export type Running = { out(): string; all(): string; child: ChildProcess; ended: Promise<Ran> }

/**
 * Replaces the addresses of a text in one pass: the port that the system gives to one server may be the one that the
 * documents write for another. No address is the beginning of a longer one.
 */
export const replaceEach = (text: string, replacements: ReadonlyMap<string, string>): string =>
  text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, (address) => replacements.get(address) ?? address)

const until = async (what: string, isSo: () => boolean, context: () => string): Promise<void> => {
  const end = Date.now() + 60_000
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what}, in vain:\n${context()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A reader with an empty directory, who pastes what the documents say into a shell. */
export const openReader = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'toolyard-reader-'))
  const inheritedEnv = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TOOLYARD_|NODE_OPTIONS|VITEST|npm_)/.test(name)),
  )
  const env = {
    ...inheritedEnv,
    TOOLYARD_PORT: '0',
    NODE: process.execPath,
    ENTRY: entry,
    ROOT: root,
    STATE: join(directory, '.state'),
  }
  const running = new Set<Running>()
  const addresses = new Map<string, string>()
  const here = (text: string) => replaceEach(text, new Map([...addresses].map(([mine, its]) => [its, mine])))
  const asWritten = (text: string) => replaceEach(text, addresses)

  /** Starts lines in a shell of their own, in a process group of their own so that all of it can be ended. */
  const start = (lines: string): Running => {
    const child = spawn('bash', ['-c', `${prelude}${lines}${epilogue}`], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
    const ended = new Promise<Ran>((resolve, reject) =>
      child.on('error', reject).on('close', (code) => {
        running.delete(program)
        resolve({ code, out: asWritten(out), err: asWritten(err) })
      }),
    )
    const program: Running = { out: () => asWritten(out), all: () => asWritten(err + out), child, ended }
    running.add(program)
    return program
  }
  const stop = async (program: Running, signal: NodeJS.Signals = 'SIGINT'): Promise<Ran> => {
    if (running.has(program)) process.kill(-program.child.pid!, signal)
    return await program.ended
  }
  const printed = (program: Running, text: string) =>
    until(`waited for "${text}"`, () => program.all().includes(text), program.all)

  return {
    directory,
    /** With the addresses of this server in place of those that the documents write. */
    here,
    start,
    stop,
    printed,
    run: (lines: string): Promise<Ran> => start(lines).ended,
    /** Starts a server by the lines given, and learns its addresses. */
    async serve(lines: string): Promise<Running> {
      const server = start(lines)
      await printed(server, 'Try:')
      for (const [label, address] of Object.entries(written)) {
        const mine = new RegExp(`${label} +(http://[\\d.:]+)`).exec(server.out())?.[1]
        if (mine !== undefined) addresses.set(mine, address)
      }
      return server
    },
    async close() {
      await Promise.all([...running].map((program) => stop(program, 'SIGKILL')))
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}
export type Reader = Awaited<ReturnType<typeof openReader>>

/** Whether the text is as written, where `…` is anything and white space is white space. */
export const isAsWritten = (actual: string, shown: string): boolean => {
  const escaped = shown
    .trim()
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll(/\s*…\s*/g, '[^]*?')
    .replaceAll(/\s+/g, String.raw`\s+`)
  return new RegExp(`^${escaped}$`).test(actual.trim())
}

/**
 * Whether a JSON value has all that is written. A text holds `…` for anything; a field `…` says that there are more.
 */
export const hasAsWritten = (actual: unknown, shown: unknown): boolean => {
  if (typeof shown === 'string') return typeof actual === 'string' && isAsWritten(actual, shown)
  if (Array.isArray(shown))
    return (
      Array.isArray(actual) &&
      actual.length === shown.length &&
      shown.every((item, at) => hasAsWritten(actual[at], item))
    )
  if (typeof shown !== 'object' || shown === null) return actual === shown
  if (typeof actual !== 'object' || actual === null) return false
  const { '…': more, ...fields } = shown as Record<string, unknown>
  const has = actual as Record<string, unknown>
  return (
    Object.entries(fields).every(([name, value]) => hasAsWritten(has[name], value)) &&
    (more !== undefined || Object.keys(has).every((name) => name in fields))
  )
}

/** `$ command` lines of a console block, each with what it prints. */
export const commandsOf = (text: string): { command: string; shown: string }[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...shown] = part.split('\n')
      return { command, shown: shown.join('\n').trimEnd() }
    })
