import { clientSource } from '../client-source.ts'
import type { Generator } from '../index.ts'

const under = <T>(folder: string, files: Record<string, T>) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]))

/** The community package for n8n. */
export const n8nPackage: Generator = () => under('client', clientSource({ ending: '', fetch: false }))
