/** No vet has this name. */
export class UnknownVet extends Error {
  constructor(readonly vet: string) {
    super(`The clinic has no vet ${vet}.`);
  }
}

/** The clinic is closed. */
export class ClinicClosed extends Error {}
