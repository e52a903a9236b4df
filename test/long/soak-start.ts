/** Starts servers of a soak in processes of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { MemoryLimit } from './memory-limit.ts'
import { durationMs } from './soak-load.ts'
import type { Server } from './soak-load.ts'
import type { Provider } from './soak-provider.ts'
import type { Ready, Setting } from './soak-server.ts'

/** @param agent origin of the agent that is started */
export const settingOf = (
  { sandbox, origin }: Provider,
  agent: string,
  data: Pick<Setting, 'directory' | 'databaseUrl'>,
): Setting => {
  const { key, token, appSecret: secret } = sandbox.credentials
  return {
    ...data,
    provider: origin,
    agent,
    key,
    token,
    secret,
    board: sandbox.control.overview()[0]!.id,
    // More than it takes: each waits for its answer before it is due again.
    polled: 15,
    scanMs: 1000,
    ageMs: durationMs * 0.06,
    longAgeMs: durationMs * 0.12,
  }
}

/**
 * @param limit of its memory
 * @param ready of the server that has made the connections, which this one then only uses
 */
export const startServer = async (
  setting: Setting,
  limit: MemoryLimit | undefined,
  ready?: Ready,
): Promise<Server & { ready: Ready }> => {
  const script = fileURLToPath(new URL('./soak-server.ts', import.meta.url))
  const scriptArguments = ['--expose-gc', script, JSON.stringify({ ...setting, ...(ready ? { ready } : {}) })]
  const [program, programArguments] = limit?.command(process.execPath, scriptArguments) ?? [
    process.execPath,
    scriptArguments,
  ]
  const child = spawn(program, programArguments, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`A server ended with ${code}.`))),
  ])) as [Ready]
  return { child, port: answer.port, ready: answer }
}

export const endServer = async ({ child }: Server): Promise<void> => {
  if (child.connected) child.disconnect()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
