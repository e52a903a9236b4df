import { readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail } from '#kit'
import * as kit from '#kit'
import type { Integration } from '#kit'

const kitUrl = 'toolyard:kit'
const kitKey = Symbol.for('toolyard.kit')

/**
 * `#kit` does not resolve in a folder outside the checkout, and failures thrown by a second copy of the kit would not
 * be recognised by ours.
 */
const kitModule = `const kit = globalThis[Symbol.for('toolyard.kit')]\nexport const { ${Object.keys(kit).join(', ')} } = kit\n`

const isIntegration = (value: unknown): value is Integration => {
  const { id, steps, wire } = (value ?? {}) as Partial<Integration>
  return typeof id === 'string' && Array.isArray(steps) && typeof wire === 'object'
}

export type Folder = {
  /**
   * Loads the integration from the current files. @throws what its code throws; Failure `invalid_input` when it does
   * not export an integration
   */
  load(): Promise<Integration>
  /** The input of a step's first example; undefined when it has none. */
  exampleInput(step: string): Promise<Record<string, unknown> | undefined>
  close(): void
}

/** Opens an integration's folder; each `load` reads the files again. */
export const openFolder = (folder: string): Folder => {
  const root = pathToFileURL(`${folder}/`).href
  let version = 0
  ;(globalThis as Record<symbol, unknown>)[kitKey] = kit
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if ((specifier === '#kit' || specifier === 'toolyard/kit') && context.parentURL?.startsWith(root))
        return { url: kitUrl, format: 'module', shortCircuit: true }
      const resolution = next(specifier, context)
      // Node loads a module only once per URL, so every reload uses new URLs.
      return resolution.url.startsWith(root)
        ? { ...resolution, url: `${resolution.url.split('?')[0]}?version=${version}` }
        : resolution
    },
    load: (url, context, next) =>
      url === kitUrl ? { format: 'module', source: kitModule, shortCircuit: true } : next(url, context),
  })
  return {
    async load() {
      version += 1
      const { default: made } = (await import(`${root}manifest.ts`)) as { default?: unknown }
      if (!isIntegration(made))
        throw fail(
          'invalid_input',
          `${join(folder, 'manifest.ts')} has no integration as its default export. Write: export default defineIntegration({ … })`,
        )
      return made
    },
    async exampleInput(step) {
      const text = await readFile(join(folder, 'examples', `${step}.json`), 'utf8').catch(() => undefined)
      try {
        return (JSON.parse(text ?? '{}') as { cases?: { input: Record<string, unknown> }[] }).cases?.[0]?.input
      } catch {
        return undefined
      }
    },
    close: () => hooks.deregister(),
  }
}
