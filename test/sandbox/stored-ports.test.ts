import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSandboxOnStoredPorts } from '../../shared/sandbox/stored-ports.ts'
import { closed, listenOn, quietPorts } from '../support/ports.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'toolyard-ports-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const originsOf = ({ sandbox }: Awaited<ReturnType<typeof startSandboxOnStoredPorts>>) =>
  sandbox.places.map(({ origin }) => origin)
const portOf = (origin: string) => Number(new URL(origin).port)
const keptPorts = () =>
  JSON.parse(readFileSync(join(directory, 'sandbox-ports.json'), 'utf8')) as Record<string, number>
const keep = (ports: object) => writeFileSync(join(directory, 'sandbox-ports.json'), JSON.stringify(ports))

it('the sandbox keeps the addresses of its first start', async () => {
  const first = await startSandboxOnStoredPorts(directory)
  const { agent, ...places } = keptPorts()
  expect(Object.values(places)).toEqual(originsOf(first).map(portOf))
  expect(agent).toBe(portOf(first.sandbox.agent.url))
  await first.sandbox.close()
})

it('the sandbox has the same addresses at its next start, and says which port another program took', async () => {
  const [board, anz, contact, agent] = await quietPorts(4)
  keep({ board, anz, contact, agent })
  const first = await startSandboxOnStoredPorts(directory)
  expect([originsOf(first).map(portOf), portOf(first.sandbox.agent.url), first.taken]).toEqual([
    [board, anz, contact],
    agent,
    [],
  ])
  await first.sandbox.close()

  const other = await listenOn(anz!)
  const second = await startSandboxOnStoredPorts(directory)
  expect(second.taken).toEqual([anz])
  const ports = originsOf(second).map(portOf)
  expect(ports).toEqual([board, expect.any(Number), contact])
  expect(ports[1]).not.toBe(anz)
  // The new one is kept from then on.
  expect(keptPorts()).toEqual({ board, anz: ports[1], contact, agent })
  await second.sandbox.close()
  await closed(other)
})

it.each(['not JSON', '[]', 'null', '{"board":"x","anz":-1,"contact":70000}'])(
  'a file of ports that holds %s is as good as none',
  async (text) => {
    writeFileSync(join(directory, 'sandbox-ports.json'), text)
    const started = await startSandboxOnStoredPorts(directory)
    expect(started.taken).toEqual([])
    await started.sandbox.close()
  },
)
