import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandbox } from './index.ts'
import type { Sandbox, SandboxOptions } from './index.ts'

const parts = ['board', 'anz', 'contact', 'agent'] as const
type Part = (typeof parts)[number]
type Ports = Partial<Record<Part, number>>

const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536

/** The ports stored in the file; a file that cannot be read counts as empty. */
const readPorts = async (file: string): Promise<Ports> => {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  let storedPorts: unknown
  try {
    storedPorts = JSON.parse(text)
  } catch {
    return {}
  }
  if (typeof storedPorts !== 'object' || storedPorts === null) return {}
  return Object.fromEntries(
    parts.flatMap((part) => (isPort((storedPorts as Ports)[part]) ? [[part, (storedPorts as Ports)[part]]] : [])),
  )
}

const portOf = (origin: string) => Number(new URL(origin).port)

const startOn = async (
  ports: Ports,
  profiles: SandboxOptions['profiles'],
): Promise<{ sandbox: Sandbox; taken: number[] }> => {
  const wantedPorts = Object.fromEntries(parts.map((part) => [part, { port: ports[part] ?? 0 }]))
  try {
    return { sandbox: await startSandbox({ ...wantedPorts, profiles: profiles ?? {} }), taken: [] }
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    const part = parts.find((candidate) => port !== undefined && ports[candidate] === port)
    if ((code !== 'EADDRINUSE' && code !== 'EACCES') || part === undefined) throw error
    const { [part]: lost, ...remainingPorts } = ports
    const { sandbox, taken } = await startOn(remainingPorts, profiles)
    return { sandbox, taken: [lost!, ...taken] }
  }
}

/**
 * Starts the sandboxes on the ports of their last run for this directory, so that addresses in notes, terminal history
 * and subscriptions keep working. `taken`: stored ports that another program now uses; other ports were chosen instead
 * and are stored from now on.
 */
export const startSandboxOnStoredPorts = async (
  directory: string,
  profiles?: SandboxOptions['profiles'],
): Promise<{ sandbox: Sandbox; taken: number[] }> => {
  const file = join(directory, 'sandbox-ports.json')
  const started = await startOn(await readPorts(file), profiles)
  const { board, anz, contact, agent } = started.sandbox
  const ports = {
    board: portOf(board.origin),
    anz: portOf(anz.origin),
    contact: portOf(contact.origin),
    agent: portOf(agent.url),
  }
  await writeFile(file, `${JSON.stringify(ports)}\n`)
  return started
}
