import { readFile } from 'node:fs/promises'
import type { ExampleFiles } from './runtime/catalogue/manifest.ts'

/** Examples ship inside the built manifests and are read only when they are requested. */
export const readExamples = async (id: string): Promise<ExampleFiles> => {
  try {
    const built = JSON.parse(await readFile(new URL(`../manifests/${id}.json`, import.meta.url), 'utf8')) as {
      steps: { id: string; examples: never[] }[]
      triggers: { id: string; examples: never[] }[]
    }
    return [
      ...built.steps.map((step) => ({ step: step.id, cases: step.examples })),
      ...built.triggers.map((trigger) => ({ trigger: trigger.id, cases: trigger.examples })),
    ]
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    // An integration given to createPack by a platform has no built manifest here.
    return []
  }
}
