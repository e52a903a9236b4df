export type Page = { limit: number; cursor?: string | undefined }
export type Listed<T> = { items: T[]; next?: string }
