import type { Manifest, PackIndex } from './manifests.ts'

/** File contents by path in the package. */
export type Files = Record<string, string | Uint8Array>
export type Generator = (input: { pack: PackIndex; manifests: Manifest[] }) => Files | Promise<Files>
