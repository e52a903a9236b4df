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

export type Response = Global extends { Response: { prototype: infer Answer } }
  ? Answer
  : {
      readonly status: number
      readonly headers: { get(name: string): string | null }
      readonly body: any
      arrayBuffer(): Promise<ArrayBuffer>
      json(): Promise<any>
      text(): Promise<string>
    }

export type Blob = Global extends { Blob: { prototype: infer Content } }
  ? Content
  : { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }

export type ReadableStream = Global extends { ReadableStream: { prototype: infer Stream } }
  ? Stream
  : { readonly locked: boolean; getReader(): any }

/** By `isBuffer`, which names the type for every kind of memory below it. */
export type Buffer = Global extends { Buffer: { isBuffer(value: any): value is infer Bytes } } ? Bytes : Uint8Array
