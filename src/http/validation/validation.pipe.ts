import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError, type ValidatorOptions } from 'class-validator';

import { InvalidRequest } from '../../domain/errors.js';
import { MAX_ERROR_MESSAGES_LENGTH } from '../../limits.js';
import { hasUnreadBody } from '../body.guard.js';
import { handlerContexts } from '../handler.interceptor.js';

/**
 * Converts the body, the query and the path parameters to valid instances of their DTO classes, with Nest's validation
 * pipe. Removes fields without a decorator, unless the class has no rules at all. Reports one error of each field. Rejects
 * text that PostgreSQL cannot store without loss. A `ValidationPipe` of a parameter, a handler or a controller converts and
 * validates instead, by its own options.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({ transform: true, whitelist: true, maxErrorMessagesLength: MAX_ERROR_MESSAGES_LENGTH });
  }

  /** @throws InvalidRequest */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'custom') {
      // An object of a custom decorator, such as the request, may contain itself.
      if (typeof value === 'string') assertStorable(value, metadata.data);
      return value;
    }
    const converted = await this.convert(value, metadata);
    assertStorable(converted, metadata.data);
    return converted;
  }

  private convert(value: unknown, metadata: ArgumentMetadata): unknown {
    const { request, validated = [] } = handlerContexts.getStore() ?? {};
    if (metadata.type === 'body') {
      if (request && hasUnreadBody(request)) {
        const { 'content-type': type } = request.headers;
        const found = type === undefined ? 'no content type' : `the content type "${type}"`;
        throw new InvalidRequest(`The body has ${found}. ${EXPECTED_BODY}`);
      }
      if (metadata.data === undefined && this.toValidate(metadata)) assertJsonObject(value);
    }
    const isValidated = validated.some(
      ({ data, metatype }) => data === metadata.data && metatype === metadata.metatype,
    );
    if (!isValidated) return super.transform(value, metadata);
    if (metadata.metatype) inheritRulesOf(metadata.metatype);
    return value;
  }

  /** Converts a single query or path parameter only without loss, so that `ParseIntPipe` and others can reject it. */
  protected override transformPrimitive(value: unknown, metadata: ArgumentMetadata): unknown {
    const converted = super.transformPrimitive(value, metadata);
    if (converted === value) return value;
    return String(converted) === String(value) ? converted : value;
  }

  /** Keeps all fields of a class without rules. The option `whitelist` would remove them. */
  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    inheritRules(object);
    return super.validate(object, { ...options, whitelist: hasRules.get(object.constructor) ?? false });
  }

  protected override flattenValidationErrors(errors: ValidationError[]): string[] {
    errors.forEach(keepFirst);
    return super.flattenValidationErrors(errors);
  }
}

const TYPE_RULES =
  /^(?:is(?:Defined|String|Number|Int|Boolean|Date|Array|Object|Instance)|int64|text|name|enum)$/;

/** Keeps one error of a field and of each of its parts: that of its type, or else that of the lowest decorator. */
function keepFirst(error: ValidationError): void {
  const entries = Object.entries(error.constraints ?? {});
  const first = entries.find(([rule]) => TYPE_RULES.test(rule)) ?? entries[0];
  if (first) error.constraints = Object.fromEntries([first]);
  error.children?.forEach(keepFirst);
}

const EXPECTED_BODY = 'Send a JSON object in UTF-8 with the Content-Type application/json.';

/** @throws InvalidRequest when there is no JSON body, or it is not an object */
function assertJsonObject(value: unknown): void {
  if (value === undefined) throw new InvalidRequest(`The body is missing. ${EXPECTED_BODY}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    throw new InvalidRequest(`The body must be a JSON object, not ${type}.`);
  }
}

/** @throws InvalidRequest when a text has U+0000 or a lone surrogate */
function assertStorable(root: unknown, name = ''): void {
  // A Map, because a value may contain itself.
  const paths = new Map([[root, name]]);
  for (const [value, path] of paths) {
    if (typeof value === 'string') {
      if (value.includes('\0')) throw new InvalidRequest(`${path} must not contain the character U+0000.`);
      if (!value.isWellFormed()) throw new InvalidRequest(`${path} must not contain a lone surrogate.`);
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      paths.set(Object.keys(value).join(), 'The name of a field');
      for (const [key, member] of Object.entries(value)) {
        paths.set(member, path === '' ? key : `${path}.${key}`);
      }
    }
  }
}

const storage = getMetadataStorage();

const rulesOf = (type: object) =>
  storage.getTargetValidationMetadatas(type as typeof Function, '', false, false);

/** Whether each class whose rules are complete has any. */
const hasRules = new WeakMap<object, boolean>();

/**
 * Completes the rules of the classes of an object and its parts. class-validator drops the rules of an inherited
 * property when the subclass declares one for it.
 */
function inheritRules(value: object): void {
  inheritRulesOf(value.constructor);
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null) inheritRules(member);
  }
}

function inheritRulesOf(type: object): void {
  if (hasRules.has(type)) return;
  const parent: unknown = Object.getPrototypeOf(type);
  if (typeof parent === 'function' && parent !== Function.prototype) {
    inheritRulesOf(parent);
    const own = rulesOf(type);
    const dropped = rulesOf(parent).filter((rule) => !own.includes(rule));
    for (const rule of dropped) storage.addValidationMetadata(Object.assign({}, rule, { target: type }));
  }
  hasRules.set(type, rulesOf(type).length > 0);
}
