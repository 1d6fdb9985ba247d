// What the gateway writes into the page: the public address of the product, and whether an OpenID provider is set.

type Facts = { publicUrl: string; signInByOpenId: boolean }

/** Read once. */
export const pageFacts: Facts = {
  publicUrl: location.origin,
  signInByOpenId: false,
  ...(JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=storefront]')?.content ?? '{}') as Partial<Facts>),
}
