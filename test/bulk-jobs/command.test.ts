/** Jobs over the command line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { failures } from '#kit'
import { runLine } from '../support/command-line.ts'
import { caller } from '../support/world.ts'
import { openJobsWorld, peopleFile } from './world.ts'

it('a job that cannot be planned says why, and asks for no consent until it has a price', async () => {
  const { pack, sandbox } = await openJobsWorld()
  const [connection] = await pack.connections.list(caller)
  const { id } = connection!
  await pack.connections.patch(caller, id, { policy: { paths: ['/elsewhere/**'] } })
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bulk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'people.csv')
  writeFileSync(file, peopleFile(2))

  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return 'n'
  }
  const enrich = () => runLine(['bulk', 'enrich', file, '-i', 'contact-data'], { pack, cwd: folder, ask })
  const refused = await enrich()
  expect(refused).toMatchObject({ code: failures.not_allowed.exit, out: '' })
  expect(refused.err).toContain('limited to other paths')
  expect(refused.err).toContain('Go on with: toolyard bulk resume')
  expect(questions).toEqual([])

  await pack.connections.patch(caller, id, { policy: null })
  await enrich()
  expect(questions).toEqual([expect.stringMatching(/^Look up 2 rows for up to \d+ credits\?/)])
  expect(sandbox.control.counters().requests).toBe(0)
})
