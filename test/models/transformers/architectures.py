# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models of the package transformers, small and with random weights: what they are called with, and the cases they are tested on.
import re

import torch
import transformers

VOCABULARY, WIDTH, LAYERS, HEADS, KEY_HEADS, HEAD, LONGEST = 40, 32, 2, 4, 2, 8, 64
SIZES = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 48,
         "max_position_embeddings": LONGEST}  # fmt: skip
GROUPED = {**SIZES, "num_key_value_heads": KEY_HEADS, "pad_token_id": 0}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
DISTANCES = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
PAIR = {"vocab_size": VOCABULARY, "d_model": WIDTH, "encoder_layers": LAYERS, "decoder_layers": LAYERS, "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}  # fmt: skip

# Batch and length, which an export is of.
LONGFORMERS = {"longformer": (2, 32), "longformer_48": (1, 48), "longformer_56": (3, 56)}
# Name: class, configuration.
ENCODERS = {
    "bert": ("Bert", SIZES),
    "roberta": ("Roberta", {**SIZES, "pad_token_id": 1}),
    "distilbert": ("DistilBert", {"vocab_size": VOCABULARY, "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": 48, "max_position_embeddings": LONGEST}),
    "albert": ("Albert", {**SIZES, "embedding_size": 16}),
    "electra": ("Electra", {**SIZES, "embedding_size": 16}),
    "mpnet": ("MPNet", SIZES),
    "deberta": ("Deberta", {**SIZES, **DISTANCES, "max_relative_positions": 64}),
    "deberta_v2": ("DebertaV2", {**SIZES, **DISTANCES, "position_buckets": 16, "share_att_key": True}),
    "modernbert": ("ModernBert", {**SIZES, "pad_token_id": 0, "local_attention": 8, "global_attn_every_n_layers": 2}),
    "xlnet": ("XLNet", {"vocab_size": VOCABULARY, "d_model": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "d_inner": 48}),
    "bigbird": ("BigBird", {**SIZES, "attention_type": "block_sparse", "block_size": 16, "num_random_blocks": 1, "max_position_embeddings": 128}),
    "fnet": ("FNet", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "intermediate_size": 48, "max_position_embeddings": LONGEST}),
    "yoso": ("Yoso", SIZES),
    **{name: ("Longformer", {**SIZES, "attention_window": 8, "pad_token_id": 1, "onnx_export": True}) for name in LONGFORMERS},
}  # fmt: skip
WITHOUT_MASK = {"fnet"}
# Exports of one length, and of Longformer of one batch: sizes, and the axes that vary.
ONE_LENGTH = {"bigbird": ([(2, 128), (1, 128), (3, 128)], {0: "batch"}), **{name: ([sizes], {}) for name, sizes in LONGFORMERS.items()}}
DECODERS = {
    "gpt2": ("GPT2LMHead", {"vocab_size": VOCABULARY, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": LONGEST}),
    "gpt_neox": ("GPTNeoXForCausalLM", SIZES),
    "opt": ("OPTForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "ffn_dim": 48, "word_embed_proj_dim": WIDTH, "max_position_embeddings": LONGEST}),
    "bloom": ("BloomForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS}),
    "falcon": ("FalconForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS}),
    "llama": ("LlamaForCausalLM", GROUPED),
    "mistral": ("MistralForCausalLM", {**GROUPED, "sliding_window": 6}),
    "qwen2": ("Qwen2ForCausalLM", GROUPED),
    "qwen3": ("Qwen3ForCausalLM", {**GROUPED, "head_dim": HEAD}),
    "gemma": ("GemmaForCausalLM", {**GROUPED, "head_dim": HEAD}),
    "gemma2": ("Gemma2ForCausalLM", {**GROUPED, "head_dim": HEAD, "sliding_window": 6, "query_pre_attn_scalar": HEAD, "attn_logit_softcapping": 2.0}),
    "gemma3": ("Gemma3ForCausalLM", {**GROUPED, "head_dim": HEAD, "sliding_window": 6, "query_pre_attn_scalar": HEAD}),
    "phi": ("PhiForCausalLM", SIZES),
    "phi3": ("Phi3ForCausalLM", GROUPED),
    "gptj": ("GPTJForCausalLM", {"vocab_size": VOCABULARY, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": LONGEST, "n_inner": 48, "rotary_dim": 4}),
    "mixtral": ("MixtralForCausalLM", {**GROUPED, **EXPERTS, "head_dim": HEAD}),
    "gpt_oss": ("GptOssForCausalLM", {**GROUPED, **EXPERTS, "head_dim": HEAD, "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"]}),
    "deepseek_v3": ("DeepseekV3ForCausalLM", {**SIZES, "pad_token_id": 0, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 8}),
}  # fmt: skip
PAST = [f"past.{i}.{what}" for i in range(LAYERS) for what in ("key", "value")]
PRESENT = [name.replace("past", "present") for name in PAST]


def make(kind, configuration, convolves=False):
    """A model with weights that are drawn anew: none that a wrong compiler gets right by chance, attention far from uniform. If it
    `convolves` again and again, what a convolution makes is as large as what it reads."""
    torch.manual_seed(0)
    family = re.sub("For[A-Z].*|LMHead$", "", kind)
    config = "Gemma3TextConfig" if family == "Gemma3" else f"{family}Config"
    name = kind if "For" in kind else f"{kind}Model"
    made = getattr(transformers, config)(**configuration)
    if "num_experts_per_tok" in configuration:
        made._experts_implementation = "batched_mm"  # the one that exporters can write
    model = getattr(transformers, name)(made)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if convolves and parameter.dim() >= 3 and parameter_name.endswith("weight"):
                parameter.copy_(noise / parameter[0].numel() ** 0.5)
            elif parameter.dim() >= 2:
                embeds = "embed" in parameter_name and "bbox" not in parameter_name
                parameter.copy_(noise if embeds else 1.5 * noise / parameter.shape[-1] ** 0.5)
            else:
                parameter.copy_(0.2 * noise + (1.0 if parameter_name.endswith("weight") else 0.0))
    return model.eval()


class Called(torch.nn.Module):
    """A model as a function of tensors by position, whose first result counts, or those of `outputs`."""

    def __init__(self, model, inputs, outputs=()):
        super().__init__()
        self.model, self.inputs, self.outputs = model, list(inputs), outputs
        self.options = {"use_cache": False} if any(name.startswith("decoder_input") for name in inputs) else {}

    def forward(self, *values):
        result = self.model(**dict(zip(self.inputs, values)), **self.options)
        return tuple(result[name] for name in self.outputs) or result[0]


class Decoder(torch.nn.Module):
    """A decoder whose keys and values come in and go out as tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.takes_positions = "position_ids" in model.forward.__code__.co_varnames

    def forward(self, input_ids, attention_mask, position_ids, *past):
        cache = transformers.DynamicCache()
        for i in range(LAYERS):
            cache.update(past[2 * i], past[2 * i + 1], i)
        positions = {"position_ids": position_ids} if self.takes_positions else {}
        result = self.model(input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, use_cache=True, **positions)
        present = [tensor for layer in result.past_key_values.layers[:LAYERS] for tensor in (layer.keys, layer.values)]
        return (result.logits, *present)


class Architecture:
    """What is exported: a module, its inputs with their axes, its outputs, and cases by name."""

    def __init__(self, module, axes, outputs, cases):
        self.module, self.axes, self.outputs, self.cases = module.eval(), axes, outputs, cases


def ids(batch, length):
    return torch.randint(3, VOCABULARY - 1, (batch, length))


def encoder(name):
    kind, configuration = ENCODERS[name]
    sizes, axes = ONE_LENGTH.get(name, ([(2, 12), (1, 33), (3, 7)], {0: "batch", 1: "length"}))

    def case(batch, length):
        """The last text is shorter by less than a window: every row sees something."""
        mask = torch.ones(batch, length, dtype=torch.long)
        mask[-1, length - min(length // 4, 3) :] = 0
        return [ids(batch, length), mask][: len(inputs)]

    inputs = ["input_ids"] if name in WITHOUT_MASK else ["input_ids", "attention_mask"]
    return Architecture(Called(make(kind, configuration), inputs), dict.fromkeys(inputs, axes), ["y"],
                        {f"b{batch}_n{length}": case(batch, length) for batch, length in sizes})  # fmt: skip


def decoder(name):
    model = make(*DECODERS[name])
    with torch.no_grad():
        layers = model(input_ids=ids(1, 3), use_cache=True).past_key_values.layers[:LAYERS]
    kept = [tensor.shape for layer in layers for tensor in (layer.keys, layer.values)]

    def case(batch, past, length):
        """The last text is shorter by two, if its past has so many: they are masked, and its positions less."""
        mask, positions = torch.ones(batch, past + length, dtype=torch.long), torch.arange(past, past + length).repeat(batch, 1)
        if past > 2:
            mask[-1, :2] = 0
            positions[-1] -= 2
        return [ids(batch, length), mask, positions, *(torch.randn(batch, heads, past, width) for _, heads, _, width in kept)]

    axes = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "total"}, "position_ids": {0: "batch", 1: "length"}}
    axes |= {name: {0: "batch", 2: "past"} for name in PAST}
    sizes = [(2, 5, 3), (1, 0, 7), (3, 9, 1), (1, 31, 17)]
    return Architecture(Decoder(model), axes, ["logits", *PRESENT], {f"b{b}_p{p}_n{n}": case(b, p, n) for b, p, n in sizes})


def image(kind, configuration):
    size = configuration["image_size"]
    cases = {f"b{batch}": [torch.randn(batch, 3, size, size)] for batch in (2, 1, 3)}
    return Architecture(Called(make(kind, configuration), ["pixel_values"]), {"pixel_values": {0: "batch"}}, ["y"], cases)


def segments():
    """Windows that overlap, keys of every so many pixels, convolutions whose channels do not meet, and four sizes of rows that are enlarged to
    one."""
    configuration = {"hidden_sizes": [16, 24, 32, 32], "depths": [1] * 4, "num_attention_heads": [1, 2, 2, HEADS], "sr_ratios": [4, 2, 2, 1],
                     "mlp_ratios": [2] * 4, "decoder_hidden_size": 24, "num_labels": 5}  # fmt: skip
    axes = {"pixel_values": {0: "batch", 2: "height", 3: "width"}}
    cases = {f"b{b}_h{h}_w{w}": [torch.randn(b, 3, h, w)] for b, h, w in [(2, 64, 96), (1, 64, 32), (3, 32, 64)]}
    return Architecture(Called(make("SegformerForSemanticSegmentation", configuration, convolves=True), axes), axes, ["logits"], cases)


def sound(kind):
    """Samples, of which convolutions make rows; the encoder's positions are a convolution, too, and WavLM adds biases by distance."""
    convolutions = {"conv_dim": (16, 16), "conv_stride": (2, 2), "conv_kernel": (3, 3), "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2}
    cases = {f"b{batch}_n{length}": [torch.randn(batch, length)] for batch, length in [(2, 120), (1, 333), (3, 77)]}
    model = make(kind, {**SIZES, **convolutions})
    return Architecture(Called(model, ["input_values"]), {"input_values": {0: "batch", 1: "length"}}, ["y"], cases)


def text_of_image():
    configuration = {**SIZES, "eos_token_id": VOCABULARY - 1}
    inputs = ["input_ids", "attention_mask"]
    cases = {f"b{b}_n{n}": [ids(b, n), torch.ones(b, n, dtype=torch.long)] for b, n in [(2, 12), (1, 33), (3, 7)]}
    return Architecture(Called(make("CLIPText", configuration), inputs), dict.fromkeys(inputs, {0: "batch", 1: "length"}), ["y"], cases)


def pair(kind, configuration, first):
    """An encoder and a decoder; `first` makes the encoder's input of a batch and a length, and has its name and axes."""
    name, axes, make_first = first
    inputs = {name: axes, "decoder_input_ids": {0: "batch", 1: "target"}}
    cases = {f"b{b}_t{t}_s{s}": [make_first(b, s), ids(b, t)] for b, t, s in [(2, 5, 12), (1, 17, 33), (3, 1, 7)]}
    return Architecture(Called(make(kind, configuration), list(inputs)), inputs, ["y"], cases)


def texts(kind, configuration):
    return pair(kind, configuration, ("input_ids", {0: "batch", 1: "length"}, ids))


def speech():
    configuration = {**PAIR, "max_source_positions": 20, "max_target_positions": LONGEST, "num_mel_bins": 8, "pad_token_id": 1, "bos_token_id": 1,
                     "eos_token_id": 1, "decoder_start_token_id": 1}  # fmt: skip
    first = ("input_features", {0: "batch"}, lambda batch, _: torch.randn(batch, 8, 40))
    return pair("WhisperForConditionalGeneration", configuration, first)


class Recurrent(torch.nn.Module):
    """A model whose layers know what they saw before by tensors, which come in and go out."""

    def __init__(self, model, name):
        super().__init__()
        self.model, self.name = model, name

    def forward(self, input_ids, *before):
        result = self.model(input_ids=input_ids, **{self.name: [tensor.clone() for tensor in before]})
        return (result.last_hidden_state, *result[self.name])


def recurrent_attention():
    # Without same_length: of that the exporter makes a sum of bools, which ONNX does not have.
    configuration = {"vocab_size": VOCABULARY, "cutoffs": [10, 20], "d_model": WIDTH, "d_embed": WIDTH, "n_head": HEADS, "d_head": HEAD, "d_inner": 48,
                     "n_layer": LAYERS, "div_val": 1, "mem_len": 16, "same_length": False}  # fmt: skip
    memories = [f"memory.{i}" for i in range(LAYERS)]
    axes = {"input_ids": {0: "batch", 1: "length"}} | {name: {0: "past", 1: "batch"} for name in memories}
    cases = {f"b{b}_p{p}_n{n}": [ids(b, n), *(torch.randn(p, b, WIDTH) for _ in memories)] for b, p, n in [(2, 16, 7), (1, 16, 1), (3, 9, 12), (2, 0, 5)]}
    return Architecture(Recurrent(make("TransfoXL", configuration), "mems"), axes, ["y", *(f"next.{i}" for i in range(LAYERS))], cases)


def recurrent_mixing():
    """Of one length, which the exporter unrolls."""
    configuration = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "intermediate_size": 48, "context_length": LONGEST}
    states = [f"state.{i}" for i in range(5)]
    axes = {name: {0: "batch"} for name in ["input_ids", *states]}

    def case(batch):
        state = [torch.randn(batch, WIDTH, LAYERS) for _ in states]
        state[3] = state[3].abs() + 1  # a sum of exponentials
        return [ids(batch, 7), *state]

    module = Recurrent(make("Rwkv", configuration), "state")
    return Architecture(module, axes, ["y", *(f"next.{i}" for i in range(5))], {f"b{batch}": case(batch) for batch in (2, 1, 3)})


def objects():
    """Three sizes of rows from a small ResNet; the likeliest ten places become queries, whose layers sample rows near them."""
    rows = {"embedding_size": 8, "hidden_sizes": [8, 8, 16, 24], "depths": [1, 1, 1, 1], "layer_type": "basic", "out_features": ["stage2", "stage3", "stage4"]}
    configuration = {
        "backbone_config": transformers.RTDetrResNetConfig(**rows), "encoder_in_channels": [8, 16, 24], "encoder_hidden_dim": 16, "encoder_layers": 1,
        "encoder_ffn_dim": 48, "encoder_attention_heads": HEADS, "d_model": WIDTH, "num_queries": 10, "decoder_in_channels": [16] * 3,
        "decoder_ffn_dim": 48, "decoder_layers": LAYERS, "decoder_attention_heads": HEADS, "num_denoising": 0, "num_labels": 5, "hidden_expansion": 0.5,
    }  # fmt: skip
    axes, outputs = {"pixel_values": {0: "batch", 2: "height", 3: "width"}}, ["logits", "pred_boxes"]
    cases = {f"b{b}_h{h}_w{w}": [torch.randn(b, 3, h, w)] for b, h, w in [(2, 64, 96), (1, 64, 32), (3, 32, 64)]}
    return Architecture(Called(make("RTDetrForObjectDetection", configuration, convolves=True), axes, outputs), axes, outputs, cases)


def masks():
    """Masks of an image at points: layers with windows and without, and a decoder between points and rows of the image."""
    configuration = {
        "vision_config": {"hidden_size": WIDTH, "output_channels": 16, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "image_size": 32,
                          "patch_size": 4, "global_attn_indexes": [1], "window_size": 3, "mlp_dim": 48, "num_pos_feats": 8},
        "prompt_encoder_config": {"hidden_size": 16, "image_size": 32, "patch_size": 4, "mask_input_channels": 4},
        "mask_decoder_config": {"hidden_size": 16, "mlp_dim": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "iou_head_hidden_dim": 16},
    }  # fmt: skip
    points = {0: "batch", 2: "points"}
    axes, outputs = {"pixel_values": {0: "batch"}, "input_points": points, "input_labels": points}, ["iou_scores", "pred_masks"]
    cases = {f"b{b}_n{n}": [torch.randn(b, 3, 32, 32), 32 * torch.rand(b, 1, n, 2), torch.randint(0, 2, (b, 1, n))] for b, n in [(2, 3), (1, 1), (3, 2)]}
    return Architecture(Called(make("Sam", configuration, convolves=True), axes, outputs), axes, outputs, cases)


def voice():
    """Samples of a text, as many as the durations of its letters say, which are computed. Random numbers are drawn, times 0."""
    configuration = {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "ffn_dim": 48, "flow_size": WIDTH,
        "spectrogram_bins": 17, "upsample_initial_channel": WIDTH, "upsample_rates": [4, 2], "upsample_kernel_sizes": [8, 4],
        "resblock_kernel_sizes": [3], "resblock_dilation_sizes": [[1, 3]], "noise_scale": 0.0, "noise_scale_duration": 0.0,
        "use_stochastic_duration_prediction": False, "duration_predictor_filter_channels": 16, "prior_encoder_num_flows": 2,
        "prior_encoder_num_wavenet_layers": 2,
    }  # fmt: skip
    axes = {"input_ids": {0: "batch", 1: "length"}}
    cases = {f"b{b}_n{n}": [ids(b, n)] for b, n in [(2, 12), (1, 7), (3, 5)]}
    return Architecture(Called(make("Vits", configuration, convolves=True), axes), axes, ["waveform"], cases)


def spectrogram():
    """What the package calls dropout p keeps values with probability p, and divides them by 1 - p: practically all are kept here, and what
    reads them has weights that are less by as much."""
    dropped = 2**-24
    configuration = {**PAIR, "hidden_size": WIDTH, "num_mel_bins": 16, "speech_decoder_prenet_units": 16, "speaker_embedding_dim": 8,
                     "speech_decoder_prenet_dropout": 1 - dropped, "speech_decoder_postnet_units": 16, "max_text_positions": LONGEST,
                     "max_speech_positions": LONGEST, "encoder_max_relative_position": 8}  # fmt: skip
    model = make("SpeechT5ForTextToSpeech", configuration, convolves=True)
    with torch.no_grad():
        for layer in (model.speecht5.decoder.prenet.layers[1], model.speecht5.decoder.prenet.final_layer):
            layer.weight *= dropped
    axes = {"input_ids": {0: "batch", 1: "length"}, "decoder_input_values": {0: "batch", 1: "frames"}, "speaker_embeddings": {0: "batch"}}
    cases = {f"b{b}_n{n}_f{f}": [ids(b, n), torch.randn(b, f, 16), torch.randn(b, 8)] for b, n, f in [(2, 7, 10), (1, 9, 6), (3, 12, 2)]}
    return Architecture(Called(model, axes), axes, ["spectrogram"], cases)


def samples():
    """What makes samples of codes: a recurrent network of two layers, and transposed convolutions."""
    configuration = {"num_filters": 4, "hidden_size": 16, "codebook_dim": 16, "codebook_size": 32, "upsampling_ratios": [4, 2]}
    cases = {f"b{batch}_n{length}": [torch.randn(batch, 16, length)] for batch, length in [(2, 9), (1, 15), (3, 7)]}
    return Architecture(make("Encodec", configuration).decoder, {"codes": {0: "batch", 2: "length"}}, ["y"], cases)


T5 = {"vocab_size": VOCABULARY, "d_model": WIDTH, "d_kv": HEAD, "d_ff": 48, "num_layers": LAYERS, "num_heads": HEADS, "decoder_start_token_id": 0,
      "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16}  # fmt: skip
PATCHES = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 48, "image_size": 16, "patch_size": 4}
OTHERS = {
    "vit": lambda: image("ViT", PATCHES),
    "dinov2": lambda: image("Dinov2", PATCHES),
    "swinv2": lambda: image("Swinv2", {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4}),
    "segformer": segments,
    "wavlm": lambda: sound("WavLM"),
    "clip_text": text_of_image,
    "t5": lambda: texts("T5ForConditionalGeneration", T5),
    "bart": lambda: texts("BartForConditionalGeneration", {**PAIR, "max_position_embeddings": LONGEST}),
    "m2m_100": lambda: texts("M2M100ForConditionalGeneration", {**PAIR, "max_position_embeddings": LONGEST}),
    "whisper": speech,
    "rwkv": recurrent_mixing,
    "rt_detr": objects,
    "sam": masks,
    "vits": voice,
    "speecht5": spectrogram,
    "encodec": samples,
}
# What newer versions of the package do not have.
OLD = {"transformer_xl": recurrent_attention}
NAMES = [*ENCODERS, *DECODERS, *OTHERS]


def architecture(name):
    torch.manual_seed(2)
    return encoder(name) if name in ENCODERS else decoder(name) if name in DECODERS else {**OTHERS, **OLD}[name]()
