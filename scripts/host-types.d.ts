/**
 * Names that the host's types may or may not define: with `@types/node` or the library `DOM` they are those, and without
 * them as much as the declarations need. Every file of the package's declarations that uses such a name imports it.
 */
type Global = typeof globalThis

export type AbortSignal = Global extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean
      readonly reason: any
      throwIfAborted(): void
      addEventListener(type: 'abort', listener: () => void): void
      removeEventListener(type: 'abort', listener: () => void): void
    }

export type URL = Global extends { URL: { prototype: infer Address } }
  ? Address
  : { readonly href: string; readonly origin: string; toString(): string }

/** By `isBuffer`, which names the type for every kind of memory below it. */
export type Buffer = Global extends { Buffer: { isBuffer(value: any): value is infer Bytes } } ? Bytes : Uint8Array
