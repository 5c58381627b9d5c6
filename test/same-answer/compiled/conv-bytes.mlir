// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of bytes, which become products of bytes: to the bit the sums of integers that the model says, with zero points around the
// image; of filters with signs and without, with one zero point or one for each output; of windows, of places alone, of images cut into
// tiles; with a bias, and as floats.
// RUN: %python %S/../compare.py %s --every-machine --rtol=1e-5 --atol=0.1 b=2,n=9,m=6 b=1,n=3,m=3 b=0,n=6,m=3 b=1,n=27,m=15
#x = #weft.dims<"b", 3, "n", "m">
func.func @main(%x: tensor<?x3x?x?xui8, #weft.dims<"b", 3, "n", "m">> {weft.name = "x"}, %s: tensor<?x3x?xi8, #weft.dims<"b", 3, "n">> {weft.name = "s"},
                %zero: tensor<ui8> {weft.name = "zero"}, %low: tensor<i8> {weft.name = "low"}, %bias: tensor<50xi32> {weft.name = "bias"},
                %scale: tensor<f32> {weft.name = "scale"}, %scales: tensor<50xf32> {weft.name = "scales"})
  -> (tensor<?x?x?x?xi32> {weft.name = "windows"}, tensor<?x?x?x?xi32> {weft.name = "tiles"}, tensor<?x?x?xi32> {weft.name = "signed"},
      tensor<?x?x?x?xf32> {weft.name = "floats"}) {
  %f33 = weft.constant dense<"0x82B70EEE7F1A5039BEF07EC2347F066ED08F5DC7512447E3404300026B6E545594A065685D64C4980BB8D4544A8721A99A01AD219EB59CF6A15EF6F15A1D830BB7CE09D6BBC004E7175C643C7DECB0B580EC37BC9712DD2E6AAEB94BAE8D2F9FA29C5A284C9EF7521829CF1079B080E9D74A1C10FCAB6A4243D33656DEBE4C1ED79648E856E8F9A2F58C95F0CE4B39C15BFFAD5C2DFB8BB820B6119CBA8FF88796AE5B05F280A68CED93B6B28CB0D1B358E6BAAB485565B9F49028D557D79A8A0E6451E15C705C15F173541B4438A25CF76312D4EEB3C2246879BF00B3CF8ED13ABF129A3097AD96B442D6D1BDEF4850C3F465442EB300C337A648A6C0DBDD73FC95F5C2C451859AFE80D40AA39DFB9249F40C3EE37D961445C806F58C7CF2127DFA894F9296FCF33C08409990AC970DEDB3B843120181E9376107DBDAF6C5F3C86497EE219B01DD92F19F4954F4FEA94ED9182375882B200DAADB23CFF9193F3E70384495E04C5D5ED352226D1637C2248F1D3CCC4405DD2EA1FAFAB4BF1C46964D947086207882914478BEE8C75B4309AE2B122E3FE87AC7ECF5A5370FC41B4DDB723B2AFB6C47C0B57894AAB2C5C145B797DDB9126E5CCA203112105F676414FAF6B200DAF099DBA5EEEC33624F5124BFC5F04D82388E52927810F610B0BCA11E0BE9F14F3CA695E87A5311660C7628CDBA9F5EEFB99022EF537B596A16DC8A03EC1FE7D2561711B3302479FB2FF11B7C19FECB1E1882D0E49C1A13635BCE60772BA0372C52266D08E1B7F9D8C043069DE5723B479FF72C86CEA0434229F17D2BDB7D8D1FFC7F186692BF3224D7A0C20092430EE2490918DA8936C342A4219C564686FEA59211200E0E3E1942B6DF840876DB40B967A9B706535330895749E4DEDB3CAAA2E474ECDE57E21852F2FB003540D61A6A001078F6B5C9ED6E678D669BB67BBBB47F1FFDCDB249497AFAC3133056CB329066A5F4F02E65C005355EC70BA20D9FC4F3CCE61F4BD5B90A699192270D2CB6D39D078C7824132D99B36AF72F3D7AAFD8C901C7C15B6AA4C5A537BF7F336C969C89275527D35E7320D0D576D9F77D9AD68F2BA95FD70F4C3B975EDE61A634A9271FF84625A360EFC475F433006350392FAB4DBC35E1A55D34BB34216469A5BF58EA2A7DCEEEC0023CBF4301FDC3AF24FB97083BF5B564AFC34894FF2D3897D0AC20DD1970D7798A254A8A31F4DD5CC57D2FE7B6422A0248B8080A80EAC4281B6F63E206F12B8EF00B1B51C9DE126E0CD7D3DDC10755AD4B9B61D827BD6EC9D7618A47F0BA92013F56EA2725C312D14C6409FCA2EA45EF7927BA0F075EDB2B8843BEAB6D4D962E913836CCBF9BBCF4E37B47860806C54479F61C04076CD677789D1C7A13C5B10A98E1E6343FBD8DC7C19A5527E51C6CC73299BFD146E9B320FD016AE8151E2D3BAF49BFAE868DF7493F86800C81C6557D86E05A461AB53F04E916FD140DD23CD3E27138202F1522EB9B238B3DCF9C84E8989900A5FEEEC24F6E86A169EA2D4CB428D9E0CA596447FB56E4B0084ADE89FC6E7A56D680A096376484D9B787F92C3B38AC3134915B19C458AB8533D1A8319F2095ACD2D120219A235C1430D035ECD52473D70D9437A5B926EEC234577D3A302AC2DF3A8B9CE8DB146B44C35C62A624479C1BEE9CE282915583E9F0CE324467EA34E377447F552DE483ED53F6359880B61A3E690CACF6FA90AA1D9344D796D4BD4194631000F9519FD590D7ECAEA70751FD00F7EEBF167401F53D67565779CC34C5D5758C05687822BFDE9C7230BEE31F85014BD91DED0761613658EAE0F0F494260CEE680AE36721AE6633BD2D5870CA0111DB1D9960C7C8553AC4606F43CEE64BD10D8CE967882F77D8D5E36167A780176252BB30DDB94993"> : tensor<50x3x3x3xui8>
  %z33 = weft.constant dense<"0x5D034CD93503EEA628F94DBC031DBDF487E7A8D357C9DAE10875F5963724F7702AA03029A6D059A4B3159E3F2A2B14F9F06E"> : tensor<50x1x1x1xui8>
  %f3 = weft.constant dense<"0xE29B4DD98EE6247C942E9A25C095D33151B1D92DAF6BB635ECA632FEA712E71D74929E87EBB12FE7D364CFDA3F4320E0A5139CBAD7375904E4499C1537182229969591DD7611DDE99752AACAEEEC135ABBF2A32D38E08BBDAE3BC7CDE687424AEAB68E5C58D204CDA182634FDFE83C92C1126363CF7CFF0D3A9C32ADACB153061764FF108BF3681772A9A071BCE908103E62379F3D7E2138B3AC82D2568A9C21C8597BFB059CF0761C6FC43190F8128501EA4B3D297EA3BC7BF90300A4"> : tensor<7x3x3x3xi8>
  %z3 = weft.constant dense<100> : tensor<i8>
  %f1 = weft.constant dense<"0xC9B4A2896E97E74C046574029A2D747969C46F904669563CF971E09C82285FEE30B1F3079A0754519FC2"> : tensor<7x3x2xi8>
  %x32 = weft.cast %x to i32 : (tensor<?x3x?x?xui8, #x>) -> tensor<?x3x?x?xi32, #x>
  %zero32 = weft.cast %zero to i32 : (tensor<ui8>) -> tensor<i32>
  %xs = weft.sub %x32, %zero32 : (tensor<?x3x?x?xi32, #x>, tensor<i32>) -> tensor<?x3x?x?xi32, #x>
  %w33 = weft.cast %f33 to i32 : (tensor<50x3x3x3xui8>) -> tensor<50x3x3x3xi32>
  %wz33 = weft.cast %z33 to i32 : (tensor<50x1x1x1xui8>) -> tensor<50x1x1x1xi32>
  %k33 = weft.sub %w33, %wz33 : (tensor<50x3x3x3xi32>, tensor<50x1x1x1xi32>) -> tensor<50x3x3x3xi32>
  %windows = weft.conv %xs, %k33, %bias {strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x3x?x?xi32, #x>, tensor<50x3x3x3xi32>, tensor<50xi32>) -> tensor<?x?x?x?xi32>
  %w3 = weft.cast %f3 to i32 : (tensor<7x3x3x3xi8>) -> tensor<7x3x3x3xi32>
  %wz3 = weft.cast %z3 to i32 : (tensor<i8>) -> tensor<i32>
  %k3 = weft.sub %w3, %wz3 : (tensor<7x3x3x3xi32>, tensor<i32>) -> tensor<7x3x3x3xi32>
  %tiles = weft.conv %xs, %k3 {strides = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x3x?x?xi32, #x>, tensor<7x3x3x3xi32>) -> tensor<?x?x?x?xi32>
  %s32 = weft.cast %s to i32 : (tensor<?x3x?xi8, #weft.dims<"b", 3, "n">>) -> tensor<?x3x?xi32, #weft.dims<"b", 3, "n">>
  %low32 = weft.cast %low to i32 : (tensor<i8>) -> tensor<i32>
  %ss = weft.sub %s32, %low32 : (tensor<?x3x?xi32, #weft.dims<"b", 3, "n">>, tensor<i32>) -> tensor<?x3x?xi32, #weft.dims<"b", 3, "n">>
  %k1 = weft.cast %f1 to i32 : (tensor<7x3x2xi8>) -> tensor<7x3x2xi32>
  %signed = weft.conv %ss, %k1 {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 2>, groups = 1 : i64}
    : (tensor<?x3x?xi32, #weft.dims<"b", 3, "n">>, tensor<7x3x2xi32>) -> tensor<?x?x?xi32>
  %xf = weft.cast %x to f32 : (tensor<?x3x?x?xui8, #x>) -> tensor<?x3x?x?xf32, #x>
  %zerof = weft.cast %zero to f32 : (tensor<ui8>) -> tensor<f32>
  %xz = weft.sub %xf, %zerof : (tensor<?x3x?x?xf32, #x>, tensor<f32>) -> tensor<?x3x?x?xf32, #x>
  %xq = weft.mul %xz, %scale : (tensor<?x3x?x?xf32, #x>, tensor<f32>) -> tensor<?x3x?x?xf32, #x>
  %wf = weft.cast %f33 to f32 : (tensor<50x3x3x3xui8>) -> tensor<50x3x3x3xf32>
  %wzf = weft.cast %z33 to f32 : (tensor<50x1x1x1xui8>) -> tensor<50x1x1x1xf32>
  %wz = weft.sub %wf, %wzf : (tensor<50x3x3x3xf32>, tensor<50x1x1x1xf32>) -> tensor<50x3x3x3xf32>
  %column = weft.unsqueeze %scales {axes = array<i64: 1, 2, 3>} : (tensor<50xf32>) -> tensor<50x1x1x1xf32>
  %wq = weft.mul %wz, %column : (tensor<50x3x3x3xf32>, tensor<50x1x1x1xf32>) -> tensor<50x3x3x3xf32>
  %floats = weft.conv %xq, %wq {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<?x3x?x?xf32, #x>, tensor<50x3x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %windows, %tiles, %signed, %floats : tensor<?x?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xf32>
}
