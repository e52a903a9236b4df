import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startKeptSandbox } from '../../shared/sandbox/kept-ports.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'toolyard-ports-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const originsOf = ({ sandbox }: Awaited<ReturnType<typeof startKeptSandbox>>) => sandbox.places.map(({ origin }) => origin)

it('the sandbox has the same addresses at its next start, and says which port another program took', async () => {
  const first = await startKeptSandbox(directory)
  const origins = originsOf(first)
  await first.sandbox.close()
  const second = await startKeptSandbox(directory)
  expect([originsOf(second), second.taken]).toEqual([origins, []])
  await second.sandbox.close()

  const port = Number(new URL(origins[1]!).port)
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  const third = await startKeptSandbox(directory)
  expect(third.taken).toEqual([port])
  expect(originsOf(third)).toEqual([origins[0], expect.not.stringMatching(origins[1]!), origins[2]])
  await third.sandbox.close()
  await new Promise((resolve) => other.close(resolve))
  // The new one is kept from then on.
  const fourth = await startKeptSandbox(directory)
  expect(originsOf(fourth)).toEqual(originsOf(third))
  await fourth.sandbox.close()
})

it.each(['not JSON', '[]', 'null', '{"board":"x","anz":-1,"contact":70000}'])('a file of ports that holds %s is as good as none', async (text) => {
  writeFileSync(join(directory, 'sandbox-ports.json'), text)
  const started = await startKeptSandbox(directory)
  expect(started.taken).toEqual([])
  await started.sandbox.close()
})
